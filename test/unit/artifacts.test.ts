import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { artifactsOf, type GatheredLoad } from '../../functions/auditor/lighthouse/artifacts.ts';
import type { Trace } from '../../functions/auditor/lighthouse/trace.ts';
import type { ArtifactName } from '../../shared/options/artifacts.ts';
import { expectHar } from '../support/har.ts';

const SECRET = 'tok-5f3a9c81d2e7';
const url = `https://example.com/?access_token=${SECRET}&page=2`;
const request = {
  url,
  method: 'POST',
  headers: { Cookie: `session=${SECRET}`, Authorization: `Bearer ${SECRET}`, 'X-Api-Key': SECRET, Accept: 'text/html' },
  postData: `{"password":"${SECRET}","name":"${SECRET}"}`,
  initialPriority: 'VeryHigh',
};
const response = {
  url,
  status: 200,
  statusText: 'OK',
  protocol: 'h2',
  mimeType: 'text/html',
  headers: { 'Set-Cookie': `session=${SECRET}; Path=/`, 'X-CSRF-Token': SECRET, Server: 'nginx' },
  timing: { requestTime: 10, sendStart: 1, sendEnd: 2, receiveHeadersEnd: 3 },
  connectionId: 1,
  encodedDataLength: 100,
};
const ofPage = { frameId: 'A', loaderId: 'L', requestId: 'L' };
const log = [
  { method: 'Page.frameStartedLoading', params: { frameId: 'A' } },
  {
    method: 'Network.requestWillBeSent',
    params: {
      ...ofPage,
      documentURL: url,
      request,
      timestamp: 10,
      wallTime: 1e9,
      initiator: { type: 'other' },
      type: 'Document',
    },
  },
  { method: 'Network.responseReceived', params: { ...ofPage, timestamp: 10.1, type: 'Document', response } },
  { method: 'Network.dataReceived', params: { ...ofPage, timestamp: 10.2, dataLength: 50, encodedDataLength: 50 } },
  { method: 'Network.loadingFinished', params: { ...ofPage, timestamp: 10.3, encodedDataLength: 150 } },
  { method: 'Page.domContentEventFired', params: { timestamp: 10.4 } },
  { method: 'Page.loadEventFired', params: { timestamp: 10.5 } },
];
const sent = { name: 'ResourceSendRequest', ph: 'I', ts: 1, args: { data: { url, requestId: 'L' } } };
const received = {
  name: 'ResourceReceiveResponse',
  ph: 'I',
  ts: 2,
  args: {
    data: {
      headers: [
        { name: 'set-cookie', value: `session=${SECRET}` },
        { name: 'server', value: 'nginx' },
      ],
    },
  },
};
const trace = { traceEvents: [sent, received] } as unknown as Trace;

const filesOf = async (names: ArtifactName[], load: GatheredLoad) => {
  const warnings: string[] = [];
  const { artifacts = {} } = await artifactsOf(names, load, warnings);
  const texts = Object.entries(artifacts).map(([name, { gzip }]) => [name, gunzipSync(gzip).toString()]);
  return { files: Object.fromEntries(texts) as Record<ArtifactName, string>, warnings };
};

test('no secret of the page is in its trace or its HAR, and the rest of them is as it was', async () => {
  const { files, warnings } = await filesOf(['trace', 'har'], { Trace: trace, DevtoolsLog: log });
  expect(warnings).toEqual([]);
  for (const text of Object.values(files)) expect(text).not.toContain(SECRET);
  const { entries } = expectHar(JSON.parse(files.har)).log;
  expect(entries).toHaveLength(1);
  const [{ request: sentTo, response: answer } = {}] = entries;
  expect(sentTo?.url).toBe('https://example.com/?access_token=redacted&page=2');
  expect(sentTo?.headers).toContainEqual({ name: 'Accept', value: 'text/html' });
  expect(sentTo?.headers).toContainEqual({ name: 'X-Api-Key', value: 'redacted' });
  expect(sentTo?.cookies).toMatchObject([{ name: 'session', value: 'redacted' }]);
  expect(answer?.headers).toContainEqual({ name: 'Server', value: 'nginx' });
  const events = JSON.parse(files.trace).traceEvents;
  expect(events[0].args.data).toEqual({ url: sentTo?.url, requestId: 'L' });
  expect(events[1].args.data.headers[1]).toEqual({ name: 'server', value: 'nginx' });
});

test('the files of versions before 13 are found too', async () => {
  const load = { traces: { defaultPass: trace }, devtoolsLogs: { defaultPass: log } };
  expect(Object.keys((await filesOf(['trace', 'har'], load)).files)).toEqual(['trace', 'har']);
});

test('a file that the audit has not recorded is missing with a warning', async () => {
  const { files, warnings } = await filesOf(['trace', 'har'], { DevtoolsLog: log });
  expect(Object.keys(files)).toEqual(['har']);
  expect(warnings).toEqual(['There is no trace: the audit recorded none.']);
});

test('a trace that is too long for a text is missing with a warning', async () => {
  const tooLong = () => 'a'.repeat(2 ** 30);
  const huge = { traceEvents: [{ toJSON: tooLong }] } as unknown as Trace;
  const { files, warnings } = await filesOf(['trace', 'har'], { Trace: huge, DevtoolsLog: log });
  expect(Object.keys(files)).toEqual(['har']);
  expect(warnings).toEqual([expect.stringContaining('There is no trace: it has more than 512 MB of text.')]);
});

test('a HAR has the requests that failed, with the status 0 and the cause', async () => {
  const failed = (requestId: string, address: string, errorText: string) => [
    {
      method: 'Network.requestWillBeSent',
      params: {
        ...ofPage,
        requestId,
        documentURL: url,
        timestamp: 10.2,
        wallTime: 1e9,
        type: 'Image',
        request: { url: address, method: 'GET', headers: {}, initialPriority: 'Low' },
        initiator: { type: 'parser' },
      },
    },
    {
      method: 'Network.loadingFailed',
      params: { requestId, timestamp: 10.3, type: 'Image', errorText, canceled: false },
    },
  ];
  const [end = log[0], ...rest] = [...log].reverse();
  const messages = [
    ...rest.reverse(),
    ...failed('1', 'https://example.com/reset.png', 'net::ERR_CONNECTION_RESET'),
    ...failed('2', 'https://closed.example/a.js', 'net::ERR_CONNECTION_REFUSED'),
    ...failed('3', 'https://example.com/stopped', 'net::ERR_ABORTED'),
    end,
  ];
  const warnings: string[] = [];
  const { artifacts } = await artifactsOf(
    ['har'],
    { DevtoolsLog: messages as NonNullable<GatheredLoad['DevtoolsLog']> },
    warnings,
  );
  expect(warnings).toEqual([]);
  const har = expectHar(JSON.parse(gunzipSync(artifacts?.har?.gzip ?? '').toString()));
  const found = har.log.entries.map(({ request: { url: address }, response: { status, _error } }) => [
    address,
    status,
    _error,
  ]);
  expect(found.slice(1)).toEqual([
    ['https://example.com/reset.png', 0, 'net::ERR_CONNECTION_RESET'],
    ['https://closed.example/a.js', 0, 'net::ERR_CONNECTION_REFUSED'],
    ['https://example.com/stopped', 0, 'net::ERR_ABORTED'],
  ]);
});
