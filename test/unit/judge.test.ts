import { expect, test } from 'vitest';
import type { MainThreadCpu } from '../../functions/auditor/cpu-waits.ts';
import type { AuditEnd } from '../../functions/auditor/messages.ts';
import { judge } from '../../functions/auditor/verdict/judge.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { audited, metrics, observed, runtimeError, stopped, url } from '../support/observation.ts';
import { anOrder } from '../support/order.ts';

const verdictOn = (...observation: Parameters<typeof observed>) => judge(observed(...observation));
const faultOn = (...observation: Parameters<typeof verdictOn>) => {
  const verdict = verdictOn(...observation);
  return verdict.state === 'failed' ? verdict.error.code : verdict.state;
};

test('a complete result succeeds with its report and environment', () => {
  expect(verdictOn(audited())).toMatchObject({
    state: 'succeeded',
    metrics,
    finalUrl: url,
    environment: {
      auditVersion: '13.5.0',
      chromium: 'HeadlessChrome/1',
      sandbox: true,
      benchmarkIndex: 2000,
    },
    report: { bytes: 10 },
  });
});

test('a run says how busy others and the hypervisor kept the CPU', () => {
  const use = { others: 0.12345, stolen: 0.06789 };
  expect(judge({ ...observed(audited()), cpu: use }).environment).toMatchObject({ cpuBusy: 0.123, cpuStolen: 0.068 });
  expect(judge({ ...observed(audited()), cpu: null }).environment).toMatchObject({ cpuBusy: null, cpuStolen: null });
});

test('a success and a failure both report the blocked requests', () => {
  const request = { host: '10.0.0.1', port: 80, reason: 'private', count: 3 };
  const blocked = { blockedRequests: [request], blockedRequestCount: 3 };
  for (const end of [audited(), runtimeError('NO_FCP')])
    expect(judge({ ...observed(end), blocked })).toMatchObject({
      ...blocked,
      warnings: [expect.stringContaining('10.0.0.1')],
    });
});

test('an audit reports no secret of its page', () => {
  const message = 'The page requested https://user:hunter2@example.com/ with "Authorization: Bearer hunter2.x".';
  const end = audited({
    runtimeError: { code: 'SOMETHING_NEW', message },
    finalUrl: 'https://u:hunter2@a.example/',
    warnings: [message],
  });
  const request = { host: 'token=hunter2', port: 80, reason: 'private', count: 1 };
  const verdict = judge({ ...observed(end), blocked: { blockedRequests: [request], blockedRequestCount: 1 } });
  expect(verdict).toMatchObject({
    finalUrl: 'https://a.example/',
    error: { finalUrl: 'https://a.example/', message: expect.stringContaining('example.com') },
    warnings: [expect.stringContaining('token='), expect.stringContaining('example.com')],
    blockedRequests: [{ host: expect.stringContaining('token=') }],
  });
  expect(JSON.stringify(verdict)).not.toContain('hunter2');
});

test('the final address keeps its whole length', () => {
  const long = `https://example.com/${'%E3%81%82'.repeat(2000)}`;
  expect(verdictOn(audited({ finalUrl: long })).finalUrl).toBe(long);
  const failed = verdictOn({ ...stopped }, { url: long, failure: 'ERR_EMPTY_RESPONSE' });
  expect(failed).toMatchObject({ finalUrl: long, error: { finalUrl: long } });
});

/** Metrics that not every audit has. */
const network = ['ttfb', 'bytes', 'requests', 'mainThreadCpu'];
const notAlways = ['pwa', 'agenticBrowsing', ...network];
test.each(Object.keys(metrics).filter((name) => !notAlways.includes(name)))('a result without %s fails', (name) => {
  const verdict = verdictOn(audited({ metrics: { ...metrics, [name]: null } }));
  expect(verdict.state).toBe('failed');
  expect(verdict).not.toHaveProperty('metrics');
});

test.each(network)('a result without %s succeeds, and the value stays unknown', (name) => {
  const verdict = verdictOn(audited({ metrics: { ...metrics, [name]: null } }));
  expect(verdict).toMatchObject({ state: 'succeeded', metrics: { ...metrics, [name]: null } });
});

test('a page that painted nothing fails although it has the requested scores', () => {
  const seo = { ...observed(audited(), { painted: false }), order: anOrder({ categories: ['seo'] }) };
  expect(judge(seo)).toMatchObject({ state: 'failed', error: { code: 'no-content' } });
  const { mainFrame } = seo;
  const coming = { ...seo, mainFrame: { ...mainFrame, finished: false, everFinished: false } };
  expect(judge(coming)).toMatchObject({ state: 'failed', error: { code: 'load-timeout' } });
  expect(judge({ ...seo, mainFrame: { ...mainFrame, painted: true } }).state).toBe('succeeded');
  expect(verdictOn(audited(), { painted: false }).state).toBe('succeeded'); // its metrics show a paint
});

test('a page that painted nothing is blank or still loading', () => {
  const nothing = runtimeError('NO_FCP');
  expect(faultOn(nothing, { painted: false })).toBe('no-content');
  expect(faultOn(nothing, { painted: false, loaded: false })).toBe('load-timeout');
  expect(faultOn(nothing, { painted: false, finished: false })).toBe('load-timeout');
});

test('a page that navigates to an error page fails with the error of that page', () => {
  const end = { ...(audited() as Extract<AuditEnd, { how: 'audited' }>), status: 403 };
  expect(verdictOn(end)).toMatchObject({
    error: { code: 'http-error', message: 'The server answered with status 403.' },
  });
  const first = runtimeError('ERRORED_DOCUMENT_REQUEST', 'Lighthouse was unable to load the page. (Status code: 429)');
  expect(verdictOn(first)).toMatchObject({ error: { message: 'The server answered with status 429.' } });
});

test('exceeding a byte limit fails the page, and exceeding a connection limit causes a warning', () => {
  const exceeded = (reason: string) =>
    judge({ ...observed(audited()), overCap: [{ host: 'cdn.example.com', reason }] });
  expect(exceeded('bytes per connection')).toMatchObject({
    error: { code: 'page-too-large', message: expect.stringContaining('cdn.example.com') },
  });
  expect(exceeded('open connections')).toMatchObject({
    state: 'succeeded',
    warnings: [expect.stringContaining('cdn.example.com')],
  });
});

test('a failure has the address of the page and not of the error page of the browser', () => {
  const verdict = verdictOn(audited({ finalUrl: 'chrome-error://chromewebdata/' }), {
    failure: 'ERR_CONNECTION_REFUSED',
  });
  expect(verdict).toMatchObject({ finalUrl: url, error: { code: 'unreachable', finalUrl: url } });
});

test('only the versions with the category pwa need its score', () => {
  expect(faultOn(audited(), {}, undefined, '12.8.2')).toBe('succeeded');
  expect(faultOn(audited(), {}, undefined, '11.7.1')).not.toBe('succeeded');
  expect(faultOn(audited({ metrics: { ...metrics, pwa: 38 } }), {}, undefined, '11.7.1')).toBe('succeeded');
});

test('a runtime error fails the audit although all scores exist', () => {
  expect(faultOn(runtimeError('PROTOCOL_TIMEOUT'))).toBe('protocol-timeout');
});

test('a protocol timeout names what Lighthouse was gathering, if known', () => {
  const messageOf = (artifactKey?: string) => {
    const code = 'PROTOCOL_TIMEOUT';
    const verdict = verdictOn(audited({ runtimeError: { code, message: '', ...(artifactKey && { artifactKey }) } }));
    return verdict.state === 'failed' && verdict.error.message;
  };
  expect(messageOf('Accessibility')).toBe(
    'The page did not respond to Lighthouse in time. Lighthouse was gathering Accessibility.',
  );
  expect(messageOf()).toBe('The page did not respond to Lighthouse in time.');
});

test.each(['chrome-error://chromewebdata/', 'about:blank', 'blob:https://example.com/1', null])(
  'a result for %s fails',
  (finalUrl) => expect(verdictOn(audited({ finalUrl })).state).toBe('failed'),
);

test('a refusal names the host but not the address behind it', () => {
  const verdict = verdictOn(
    stopped,
    { failure: 'ERR_SOCKS_CONNECTION_FAILED' },
    { outcome: 'refused', reason: 'The host resolves to a non-public address.' },
  );
  const message =
    'The page leads to example.com:443, which the service does not audit. The host resolves to a non-public address.';
  expect(verdict).toMatchObject({ error: { message, finalUrl: url } });
});

test('the warning about blocked requests names their targets and the rules that applied', () => {
  const requests = [
    ...['10.0.0.1', '10.0.0.2', '::1', 'router.lan'].map((host) => ({ host, port: 80, reason: 'Private.', count: 1 })),
    { host: 'example.com', port: 6379, reason: 'Port 6379 is not accepted.', count: 2 },
  ];
  const verdict = judge({ ...observed(audited()), blocked: { blockedRequests: requests, blockedRequestCount: 6 } });
  expect(verdict.warnings).toEqual([
    'The service blocked 6 request(s) of the page, so a visitor may see another page. 10.0.0.1:80, 10.0.0.2:80, [::1]:80 and 1 more: Private. example.com:6379: Port 6379 is not accepted.',
  ]);
});

test("Lighthouse's warning about a slow load is corrected if the page did load", () => {
  const slow = 'The page loaded too slowly to finish within the time limit. Results may be incomplete.';
  const warningsOf = (changes: object, loaded: boolean) =>
    judge(observed(audited({ warnings: [slow], ...changes }), { loaded })).warnings;
  expect(warningsOf({}, false)).toEqual([slow]);
  expect(warningsOf({}, true)).toEqual([
    'The page loaded, but was not idle within the time limit. Results may be incomplete.',
  ]);
  expect(warningsOf({ metrics: { ...metrics, fcp: null } }, true)[0]).toMatch(/^The page loaded, but painted nothing/);
});

test('a thrown error blames a dead browser, or else its code decides', () => {
  const thrown = { how: 'failed', code: 'PROTOCOL_TIMEOUT', message: 'x', pageAnswers: true } as const;
  expect(faultOn({ ...thrown, browserAlive: false })).toBe('browser-crashed');
  expect(faultOn({ ...thrown, browserAlive: true })).toBe('protocol-timeout');
  expect(faultOn({ ...thrown, browserAlive: true, pageAnswers: false })).toBe('page-hung');
  expect(faultOn({ ...thrown, code: null, browserAlive: true }, { navigations: 51 })).toBe('redirect-loop');
  expect(faultOn({ ...thrown, code: null, browserAlive: true }, { crashed: true })).toBe('page-crashed');
  const tooDeep = 'Protocol error (Page.getFrameTree): stack limit exceeded';
  expect(faultOn({ ...thrown, code: null, browserAlive: true, message: tooDeep })).toBe('page-too-large');
});

test('an auditor that exits without a result is a fault of the service', () => {
  expect(verdictOn({ how: 'exited' })).toMatchObject({
    error: { code: 'internal', blame: 'service', retryable: true },
  });
});

test('a result without metrics explains why from its errored audits', () => {
  const without = { metrics: { ...metrics, performance: null } };
  const noFcp = [{ id: 'first-contentful-paint', message: 'Required: NO_FCP' }];
  const noFrames = [{ id: 'speed-index', message: "Chrome didn't collect any screenshots" }];
  expect(faultOn(audited({ ...without, erroredAudits: noFcp }))).toBe('no-content');
  expect(faultOn(audited({ ...without, erroredAudits: noFrames }))).toBe('no-screenshots');
  const noFmp = [{ id: 'interactive', message: 'Something went wrong with recording the trace. (NO_FMP)' }];
  expect(verdictOn(audited({ ...without, erroredAudits: noFmp }))).toMatchObject({
    error: {
      code: 'internal',
      auditCode: 'NO_FMP',
      retryable: true,
      message: `Lighthouse could not complete these audits: interactive. ${noFmp[0]?.message}`,
    },
  });
  const largest = [{ id: 'largest-contentful-paint', message: 'NO_LCP' }];
  const inMessage = [{ id: 'largest-contentful-paint', message: 'The page did not display content. (NO_LCP)' }];
  for (const erroredAudits of [largest, inMessage]) {
    expect(verdictOn(audited({ ...without, erroredAudits }))).toMatchObject({
      error: {
        code: 'no-content',
        auditCode: 'NO_LCP',
        blame: 'page',
        message: expect.stringContaining('largest contentful paint'),
      },
    });
  }
  expect(faultOn(audited(without), { finished: false })).toBe('load-timeout');
  expect(
    faultOn(audited({ ...without, finalUrl: 'chrome-error://chromewebdata/' }), { failure: 'ERR_CONNECTION_RESET' }),
  ).toBe('unreachable');
});

test('a page that hangs while its document is loading fails with load-timeout', () => {
  const hung: AuditEnd = { how: 'stopped', why: 'audit-timeout' };
  expect(faultOn(hung, { finished: false, everFinished: false })).toBe('load-timeout');
  expect(faultOn(hung)).toBe('audit-timeout');
  expect(faultOn(hung, { finished: false })).toBe('audit-timeout'); // it hung when Lighthouse loaded it again
  expect(faultOn(runtimeError('PAGE_HUNG'), { finished: false, everFinished: false })).toBe('load-timeout');
  const large = { finished: false, everFinished: false, large: true };
  expect(faultOn(runtimeError('PAGE_HUNG'), large)).toBe('page-too-large');
  expect(faultOn({ how: 'stopped', why: 'load-timeout' }, large)).toBe('page-too-large');
  expect(faultOn(runtimeError('PAGE_HUNG'), { large: true })).toBe('page-hung'); // the document had arrived
  expect(faultOn(runtimeError('PAGE_HUNG'))).toBe('page-hung');
});

test('broken XML is not HTML, and a page without a body has no content', () => {
  const without = { metrics: { ...metrics, performance: null, si: null } };
  const noFrames = [{ id: 'speed-index', message: "Chrome didn't collect any screenshots" }];
  expect(faultOn({ ...audited(), document: 'unparsable' } as AuditEnd)).toBe('not-html');
  expect(faultOn({ ...audited({ ...without, erroredAudits: noFrames }), document: 'gone' } as AuditEnd)).toBe(
    'no-content',
  );
});

test('a document that a pattern of the check blocks is never a score, and the error says so', () => {
  const blockedUrlPatterns = ['*/ads/*', 'example.com'];
  const verdict = judge({ ...observed(audited()), order: anOrder({ blockedUrlPatterns }) });
  expect(verdict).toMatchObject({
    state: 'failed',
    error: {
      code: 'forbidden-target',
      message: `One of the check's own \`blockedUrlPatterns\` blocks the document: "example.com" matches ${url}.`,
    },
    environment: { blockedUrlPatterns },
  });
  const download = { url: 'https://example.com/ads/offer.zip', failure: 'ERR_ABORTED', navigations: 1 };
  const page = judge({ ...observed(audited(), download), order: anOrder({ blockedUrlPatterns: ['*/ads/*'] }) });
  expect(page.state).toBe('succeeded'); // a visible page started a download, which is not its document
});

test('the score for agents must be a number if it was requested', () => {
  const scored = (agenticBrowsing: number | null) =>
    judge({
      ...observed(audited({ metrics: { ...noMetrics, agenticBrowsing } })),
      order: anOrder({ categories: ['agentic-browsing'] }),
    });
  expect([scored(67).state, scored(null).state]).toEqual(['succeeded', 'failed']);
});

test('only the requested categories need scores, and all warnings are reported', () => {
  const onlySeo = audited({
    metrics: { ...noMetrics, seo: 90 },
    erroredAudits: [{ id: 'unused-css-rules', message: 'x' }],
    screenshotMissing: true,
    withoutCharset: true,
    withoutMeaningfulPaint: true,
    uncheckedRules: ['color-contrast', 'label'],
  });
  const verdict = judge({ ...observed(onlySeo), order: anOrder({ categories: ['seo'] }) });
  expect(verdict.state).toBe('succeeded');
  expect(verdict.warnings.join(' ')).toMatch(
    /unused-css-rules.*meaningful paint.*color-contrast, label.*charset.*screenshot/,
  );
  expect(judge({ ...observed(onlySeo), order: anOrder({ categories: ['seo', 'accessibility'] }) }).state).toBe(
    'failed',
  );
});

test('an audit is contended if others used the CPU and its waits are not known', () => {
  const contended = (others: number, stolen = 0, of = observed(audited())) =>
    judge({ ...of, cpu: { others, stolen } }).environment?.contended;
  expect([contended(0.9), contended(0.1)]).toEqual([true, false]);
  expect([contended(0.1, 0.15), contended(0.1, 0.08)]).toEqual([true, false]); // the waits do not include stolen time
  const onlySeo = { ...observed(audited()), order: anOrder({ categories: ['seo'] }) };
  expect(contended(0.9, 0.5, onlySeo)).toBe(false); // the audit measures no times
  expect(judge({ ...observed(audited()), cpu: null }).environment).toMatchObject({ cpuBusy: null, contended: null });
});

test('a page whose proxy other work of the service held for more than 50 ms is contended, and a warning says so', () => {
  const held = (proxyHeldMs: number) => judge({ ...observed(audited()), proxyHeldMs });
  expect([50, 50.1].map((ms) => held(ms).environment?.contended)).toEqual([false, true]);
  expect([50, 312.4].map((ms) => held(ms).warnings)).toEqual([[], [expect.stringContaining('busy for 312 ms')]]);
});

test('an audit that failed is contended if it had no CPU for a part of its time', () => {
  const contended = (starvedShare: number) =>
    judge({ ...observed({ how: 'stopped', why: 'audit-timeout' }), starvedShare }).environment?.contended;
  expect([contended(0.3), contended(0.02)]).toEqual([true, false]);
});

const noWaits: MainThreadCpu = { ranMs: 140.4, waitedMs: 9, matters: false, isUnexplained: false, isCorrected: false };
test.each([
  ['waits that matter and were corrected', { waitedMs: 900, matters: true, isCorrected: true }, 0.7, false],
  ['waits that matter and were not corrected', { waitedMs: 900, matters: true }, 0.7, true],
  ['waits that change nothing', {}, 0.7, false],
  ['waits that nobody knows, beside other programs', { waitedMs: null }, 0.7, true],
  ['time off the CPU that nothing explains, beside other programs', { isUnexplained: true }, 0.7, true],
  ['time off the CPU that nothing explains, on a free machine', { isUnexplained: true }, 0.1, false],
])('%s', (_, known, others, contended) => {
  const mainThread = { ...noWaits, ...known };
  const verdict = judge({ ...observed(audited({ mainThread })), cpu: { others, stolen: 0 } });
  const { waitedMs: cpuWaitMs, isCorrected: corrected } = mainThread;
  expect(verdict).toMatchObject({ metrics: { mainThreadCpu: 140 }, environment: { cpuWaitMs, corrected, contended } });
});
