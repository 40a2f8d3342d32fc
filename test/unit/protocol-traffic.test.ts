import { expect, test } from 'vitest';
import {
  blockInAllTargets,
  type Protocol,
  type ProtocolTraffic,
  patchProtocol,
} from '../../functions/auditor/lighthouse/patches.ts';

const same = (requestId: unknown) => requestId;

/** A session whose commands are answered by hand. */
const session = (name: 'sendCommand' | 'sendCommandToSession', documentFor = same, onNavigate = () => {}) => {
  const sent: unknown[][] = [];
  const answers: PromiseWithResolvers<unknown>[] = [];
  const send = (...args: unknown[]) => {
    sent.push(args);
    const answer = Promise.withResolvers<unknown>();
    answers.push(answer);
    return answer.promise;
  };
  const prototype: Protocol['prototype'] = { [name]: send };
  const traffic: ProtocolTraffic = { pending: 0, answeredAt: 0, longTasks: 0 };
  patchProtocol({ prototype }, { traffic, documentFor, onNavigate });
  return { prototype, send: prototype[name] as typeof send, sent, answers, traffic };
};

test('an answer and an error of the browser are progress, and a timeout of Lighthouse is none', async () => {
  const { send, answers, traffic } = session('sendCommand');
  const commands = [send('Page.enable'), send('Runtime.evaluate'), send('Page.reload')];
  expect(traffic).toMatchObject({ pending: 3, answeredAt: 0 });
  answers[0]?.reject(Object.assign(new Error('no answer'), { code: 'PROTOCOL_TIMEOUT' }));
  await expect(commands[0]).rejects.toThrow('no answer');
  expect(traffic).toMatchObject({ pending: 2, answeredAt: 0 });
  answers[1]?.reject(new Error('no such frame'));
  await expect(commands[1]).rejects.toThrow('no such frame');
  expect(traffic.pending).toBe(1);
  expect(traffic.answeredAt).toBeGreaterThan(0);
  answers[2]?.resolve('reloaded');
  expect(await commands[2]).toBe('reloaded');
  expect(traffic.pending).toBe(0);
});

test('the content of a document that the page has left is that of the document that it shows', () => {
  const documentFor = (id: unknown) => (id === 'left' ? 'shown' : id);
  const modern = session('sendCommand', documentFor);
  modern.send('Network.getResponseBody', { requestId: 'left' });
  modern.send('Network.getResponseBody', { requestId: 'image' });
  expect(modern.sent.map(([, parameters]) => parameters)).toEqual([{ requestId: 'shown' }, { requestId: 'image' }]);
  const nine = session('sendCommandToSession', documentFor);
  nine.send('Network.getResponseBody', undefined, { requestId: 'left' });
  expect(nine.sent[0]).toEqual(['Network.getResponseBody', undefined, { requestId: 'shown' }]);
});

test('patterns are blocked in each target whose network Lighthouse watches', () => {
  const urls = ['*/ads/*'];
  const modern = session('sendCommand');
  blockInAllTargets(modern, urls);
  modern.prototype.sendCommand?.('Network.enable');
  modern.prototype.sendCommand?.('Page.enable');
  expect(modern.sent).toEqual([['Network.enable'], ['Network.setBlockedURLs', { urls }], ['Page.enable']]);
  const nine = session('sendCommandToSession');
  blockInAllTargets(nine, urls);
  nine.prototype.sendCommandToSession?.('Network.enable', 'frame');
  expect(nine.sent).toEqual([
    ['Network.enable', 'frame'],
    ['Network.setBlockedURLs', 'frame', { urls }],
  ]);
});
