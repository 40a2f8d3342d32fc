import { EventEmitter } from 'node:events';
import type { CDPSession } from 'puppeteer-core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchMainFrame } from '../../functions/auditor/child/main-frame.ts';
import { keepDocument, releaseDocument, stayUnlessAnswered } from '../../functions/auditor/child/page-hold.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const url = 'https://example.com/';
const other = 'https://example.com/other';

/** A page that the browser shows. */
const shownPage = async () => {
  const sent: { method: string; [name: string]: unknown }[] = [];
  const session = Object.assign(new EventEmitter(), {
    send: async (method: string, parameters = {}) => {
      sent.push({ method, ...parameters });
      if (method === 'Page.getFrameTree') return { frameTree: { frame: { id: 'main' } } };
      return method === 'Page.createIsolatedWorld' ? { executionContextId: 7 } : {};
    },
  });
  const watched = await watchMainFrame(session as unknown as CDPSession, () => {});
  stayUnlessAnswered(session as unknown as CDPSession, watched);
  const request = (id: string, to: string) => {
    const ids = { requestId: id, loaderId: id, frameId: 'main' };
    session.emit('Network.requestWillBeSent', { type: 'Document', ...ids, request: { url: to } });
  };
  request('first', url);
  session.emit('Page.frameNavigated', { frame: { id: 'main', loaderId: 'first', url } });
  sent.length = 0;
  return { session, watched, sent, request };
};

/** A page that Lighthouse has loaded, and that the service keeps on its document. */
const heldPage = async () => {
  const { session, watched, sent } = await shownPage();
  await keepDocument(session as unknown as CDPSession, watched);
  sent.length = 0;
  const pause = (answer: object = {}, method = 'GET') => {
    const request = { url: other, method };
    session.emit('Fetch.requestPaused', { requestId: 'r', frameId: 'main', request, ...answer });
    return sent.splice(0);
  };
  return { session, watched, sent, pause, held: () => watched.record.held };
};

const asksServer = { method: 'Fetch.continueRequest', requestId: 'r', interceptResponse: true };
const proceeds = { method: 'Fetch.continueRequest', requestId: 'r' };
const isDropped = { method: 'Fetch.failRequest', requestId: 'r', errorReason: 'Aborted' };
const html = { responseStatusCode: 200, responseHeaders: [{ name: 'content-type', value: 'text/html' }] };

test('a navigation is dropped once its response shows that the page would leave its document', async () => {
  const { pause, held } = await heldPage();
  expect(pause()).toEqual([asksServer]);
  expect(held()).toBeUndefined();
  expect(pause(html)).toEqual([isDropped]);
  expect(held()).toEqual({ url, to: other });
});

test.each([
  ['a download', { ...html, responseHeaders: [{ name: 'Content-Disposition', value: 'attachment' }] }],
  ['a response without content', { responseStatusCode: 204, responseHeaders: [] }],
])('%s is no navigation', async (_, answer) => {
  const { pause, held } = await heldPage();
  pause();
  expect(pause(answer)).toEqual([proceeds]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(held()).toBeUndefined();
});

test.each([
  ['the submission of a form', {}, 'POST'],
  ['a server that is unreachable', { responseErrorReason: 'ConnectionRefused' }, 'GET'],
])('%s is dropped at once', async (_, answer, method) => {
  const { pause, held } = await heldPage();
  expect(pause(answer, method)).toEqual([isDropped]);
  expect(held()).toEqual({ url, to: other });
});

test('a navigation without a response is dropped after two seconds', async () => {
  const { pause, held, sent } = await heldPage();
  pause();
  await vi.advanceTimersByTimeAsync(2000);
  expect(sent).toEqual([{ method: 'Page.stopLoading' }]);
  expect(held()).toEqual({ url, to: other });
});

test('a navigation proceeds when Lighthouse leaves the page, because dropping it would drop that of Lighthouse', async () => {
  const { pause, held, watched } = await heldPage();
  releaseDocument(watched);
  expect(pause()).toEqual([proceeds]);
  expect(held()).toBeUndefined();
});

test('a page with speculation rules is held from the inside, because such a navigation makes no request', async () => {
  const { session, sent, held } = await heldPage();
  session.emit('Preload.ruleSetUpdated', {});
  await vi.advanceTimersByTimeAsync(0);
  expect(sent.at(-1)).toMatchObject({
    method: 'Runtime.evaluate',
    contextId: 7,
    expression: expect.stringContaining('preventDefault'),
  });
  session.emit('Runtime.bindingCalled', { name: 'pageAuditHeld', payload: other });
  expect(held()).toEqual({ url, to: other });
});

/** A page that requests another document so long after its load, and that gets an answer or none. */
const leavingPage = async (ms: number, answer?: object) => {
  const { session, watched, sent, request } = await shownPage();
  for (const name of ['firstContentfulPaint', 'load'])
    session.emit('Page.lifecycleEvent', { frameId: 'main', loaderId: 'first', name });
  await vi.advanceTimersByTimeAsync(ms);
  request('second', other);
  if (answer) session.emit('Network.responseReceived', { requestId: 'second', response: answer });
  await vi.advanceTimersByTimeAsync(15_000);
  return { sent, record: watched.record };
};

test('a page that leaves long after its load stays on its document if no server answers within 15 s', async () => {
  const { sent, record } = await leavingPage(1500);
  expect(sent).toEqual([{ method: 'Page.stopLoading' }]);
  expect(record).toMatchObject({ url, standsAlone: false, held: { url, to: other } });
});

test.each([
  ['moves at its load, as a redirect does', 500, undefined],
  ['gets an answer', 1500, { status: 200, mimeType: 'text/html', headers: {} }],
])('a page that %s goes to its next document', async (_, ms, answer) => {
  const { sent, record } = await leavingPage(ms, answer);
  expect(sent).toEqual([]);
  expect(record).toMatchObject({ url: other });
});
