import { connect } from 'node:net';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { endpoint } from '../../../functions/lib/http/endpoint.ts';
import { webPage } from '../../../functions/web-page.ts';
import { assertProperty, fuzzTimeoutMs, numRuns, shuffled, text } from '../../support/fuzz.ts';
import { startHandlers } from '../../support/gateway.ts';

vi.setConfig({ testTimeout: fuzzTimeoutMs });

const rulesOf = () => ({ scope: 'public', query: 'any' }) as const;
const cors = () => ({ CORS_ORIGINS: ['https://example.com'] });

test('the local gateway survives any request line and header', async () => {
  const handler = endpoint({ access: async () => ({}), cors, rulesOf }, () => webPage());
  const gateway = await startHandlers(() => handler);
  const part = shuffled(
    '/',
    '/v1/checks/',
    '/v1/regions',
    '%',
    '%zz',
    '?',
    '&',
    '=',
    '#',
    ' ',
    '//',
    'http://a/',
    '*',
    text,
  );
  const line = fc.tuple(fc.constantFrom('GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'TRACE', 'X', ''), part);
  const headers = fc.array(
    fc.oneof(
      fc.tuple(fc.constantFrom('origin', 'accept', 'content-length', 'transfer-encoding', 'cookie', 'expect'), text),
      fc.tuple(text, text),
    ),
    { maxLength: 4 },
  );
  await assertProperty(
    fc.asyncProperty(line, headers, async ([method, target], pairs) => {
      const socket = connect({ port: gateway.port, host: '127.0.0.1' }).on('error', () => {});
      const lines = pairs.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      socket.end(`${method} ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${lines}\r\n`);
      const answer = Buffer.concat(await socket.toArray()).toString('latin1');
      expect(answer).toMatch(/^(HTTP\/1\.1 (100|2\d\d|4\d\d) |$)/);
      if (answer !== '') expect(answer).toContain('x-content-type-options: nosniff');
    }),
    Math.ceil(numRuns / 5),
  );
  expect((await fetch(`${gateway.url}/v1/regions`, { method: 'OPTIONS' })).status).toBe(204);
  await gateway.close();
});
