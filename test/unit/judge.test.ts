import { expect, test } from 'vitest';
import { judge } from '../../functions/auditor/judge.ts';
import type { AuditEnd } from '../../functions/auditor/messages.ts';
import { noMetrics } from '../../shared/page-metrics.ts';
import { audited, cpu, metrics, observed, runtimeError, stopped, url } from '../support/observation.ts';

const verdictOn = (...observation: Parameters<typeof observed>) => judge(observed(...observation));
const faultOn = (...observation: Parameters<typeof verdictOn>) => {
  const verdict = verdictOn(...observation);
  return verdict.state === 'failed' ? verdict.error.code : verdict.state;
};

test('a whole result is a success, with its report and where it was measured', () => {
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

test('what was refused to the page is told, on a success and on a failure', () => {
  const request = { host: '10.0.0.1', port: 80, reason: 'private', count: 3 };
  const blocked = { blockedRequests: [request], blockedRequestCount: 3 };
  for (const end of [audited(), runtimeError('NO_FCP')])
    expect(judge({ ...observed(end), blocked })).toMatchObject({
      ...blocked,
      warnings: [expect.stringContaining('10.0.0.1')],
    });
});

test('an audit reports no secret of its page', () => {
  const message = 'The page asked for https://user:hunter2@example.com/ with "Authorization: Bearer hunter2.x".';
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

test.each(Object.keys(metrics).filter((name) => name !== 'pwa'))('a result without %s is no success', (name) => {
  const verdict = verdictOn(audited({ metrics: { ...metrics, [name]: null } }));
  expect(verdict.state).toBe('failed');
  expect(verdict).not.toHaveProperty('metrics');
});

test('a page that showed nothing is no success, though it has the scores that were asked for', () => {
  const seo = { ...observed(audited(), { painted: false }), categories: ['seo' as const] };
  expect(judge(seo)).toMatchObject({ state: 'failed', error: { code: 'no-content' } });
  const { mainFrame } = seo;
  const coming = { ...seo, mainFrame: { ...mainFrame, finished: false, everFinished: false } };
  expect(judge(coming)).toMatchObject({ state: 'failed', error: { code: 'load-timeout' } });
  expect(judge({ ...seo, mainFrame: { ...mainFrame, painted: true } }).state).toBe('succeeded');
  expect(verdictOn(audited(), { painted: false }).state).toBe('succeeded'); // its metrics tell that it painted
});

test('a page that painted nothing is blank, or did not get what it waits for', () => {
  const nothing = runtimeError('NO_FCP');
  expect(faultOn(nothing, { painted: false })).toBe('no-content');
  expect(faultOn(nothing, { painted: false, loaded: false })).toBe('load-timeout');
  expect(faultOn(nothing, { painted: false, finished: false })).toBe('load-timeout');
});

test('a page that led itself to an error is that error, whatever its first document was', () => {
  const end = { ...(audited() as Extract<AuditEnd, { how: 'audited' }>), status: 403 };
  expect(verdictOn(end)).toMatchObject({
    error: { code: 'http-error', message: 'The server answered with status 403.' },
  });
  const first = runtimeError('ERRORED_DOCUMENT_REQUEST', 'Lighthouse was unable to load the page. (Status code: 429)');
  expect(verdictOn(first)).toMatchObject({ error: { message: 'The server answered with status 429.' } });
});

test('a page that was cut off while it was measured is too large; one connection too many is a warning', () => {
  const cut = (reason: string) => judge({ ...observed(audited()), overCap: [{ host: 'cdn.example.com', reason }] });
  expect(cut('bytes per connection')).toMatchObject({
    error: { code: 'page-too-large', message: expect.stringContaining('cdn.example.com') },
  });
  expect(cut('open connections')).toMatchObject({
    state: 'succeeded',
    warnings: [expect.stringContaining('cdn.example.com')],
  });
});

test('a failure names the address that the page led to, not the page that the browser shows in its place', () => {
  const led = verdictOn(audited({ finalUrl: 'chrome-error://chromewebdata/' }), { failure: 'ERR_CONNECTION_REFUSED' });
  expect(led).toMatchObject({ finalUrl: url, error: { code: 'unreachable', finalUrl: url } });
});

test('a score for pwa is needed from the versions that have one, and only from them', () => {
  expect(faultOn(audited(), {}, undefined, '12.8.2')).toBe('succeeded');
  expect(faultOn(audited(), {}, undefined, '11.7.1')).not.toBe('succeeded');
  expect(faultOn(audited({ metrics: { ...metrics, pwa: 38 } }), {}, undefined, '11.7.1')).toBe('succeeded');
});

test('a runtime error is a failure, whatever the scores say', () => {
  expect(faultOn(runtimeError('PROTOCOL_TIMEOUT'))).toBe('protocol-timeout');
});

test('a page that did not answer Lighthouse is told what for, where Lighthouse tells it', () => {
  const waitedFor = (artifactKey?: string) => {
    const code = 'PROTOCOL_TIMEOUT';
    const verdict = verdictOn(audited({ runtimeError: { code, message: '', ...(artifactKey && { artifactKey }) } }));
    return verdict.state === 'failed' && verdict.error.message;
  };
  expect(waitedFor('Accessibility')).toBe(
    'The page did not respond to Lighthouse in time. Lighthouse was gathering Accessibility.',
  );
  expect(waitedFor()).toBe('The page did not respond to Lighthouse in time.');
});

test.each(['chrome-error://chromewebdata/', 'about:blank', 'blob:https://example.com/1', null])(
  'a result about %s is no success',
  (finalUrl) => expect(verdictOn(audited({ finalUrl })).state).toBe('failed'),
);

test('a refusal names the host that the page led to, not why we know it', () => {
  const verdict = verdictOn(
    stopped,
    { failure: 'ERR_SOCKS_CONNECTION_FAILED' },
    { outcome: 'refused', reason: '10.0.0.1 is private' },
  );
  expect(verdict).toMatchObject({ error: { message: expect.stringContaining('example.com'), finalUrl: url } });
  expect(JSON.stringify(verdict)).not.toContain('10.0.0.1');
});

test('a thrown error is the browser’s where the browser is gone, else by its code', () => {
  const threw = { how: 'failed', code: 'PROTOCOL_TIMEOUT', message: 'x', pageAnswers: true } as const;
  expect(faultOn({ ...threw, browserAlive: false })).toBe('browser-crashed');
  expect(faultOn({ ...threw, browserAlive: true })).toBe('protocol-timeout');
  expect(faultOn({ ...threw, browserAlive: true, pageAnswers: false })).toBe('page-hung');
  expect(faultOn({ ...threw, code: null, browserAlive: true }, { navigations: 51 })).toBe('redirect-loop');
  expect(faultOn({ ...threw, code: null, browserAlive: true }, { crashed: true })).toBe('page-crashed');
  const tooDeep = 'Protocol error (Page.getFrameTree): stack limit exceeded';
  expect(faultOn({ ...threw, code: null, browserAlive: true, message: tooDeep })).toBe('page-too-large');
});

test('an auditor that ended without a word is our fault', () => {
  expect(verdictOn({ how: 'exited' })).toMatchObject({
    error: { code: 'internal', blame: 'service', retryable: true },
  });
});

test('a result that misses its metrics says why as far as its audits do', () => {
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
  const inWords = [{ id: 'largest-contentful-paint', message: 'The page did not display content. (NO_LCP)' }];
  for (const erroredAudits of [largest, inWords]) {
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

test('a page that does not answer while its document is still on its way did not load in time', () => {
  const hung: AuditEnd = { how: 'stopped', why: 'audit-timeout' };
  expect(faultOn(hung, { finished: false, everFinished: false })).toBe('load-timeout');
  expect(faultOn(hung)).toBe('audit-timeout');
  expect(faultOn(hung, { finished: false })).toBe('audit-timeout'); // it hung when it was loaded again
  expect(faultOn(runtimeError('PAGE_HUNG'), { finished: false, everFinished: false })).toBe('load-timeout');
  const large = { finished: false, everFinished: false, large: true };
  expect(faultOn(runtimeError('PAGE_HUNG'), large)).toBe('page-too-large');
  expect(faultOn({ how: 'stopped', why: 'load-timeout' }, large)).toBe('page-too-large');
  expect(faultOn(runtimeError('PAGE_HUNG'), { large: true })).toBe('page-hung'); // it had arrived
  expect(faultOn(runtimeError('PAGE_HUNG'))).toBe('page-hung');
});

test('a document that is broken XML is no page, and one that took its body away shows nothing', () => {
  const without = { metrics: { ...metrics, performance: null, si: null } };
  const noFrames = [{ id: 'speed-index', message: "Chrome didn't collect any screenshots" }];
  expect(faultOn({ ...audited(), document: 'unparsable' } as AuditEnd)).toBe('not-html');
  expect(faultOn({ ...audited({ ...without, erroredAudits: noFrames }), document: 'gone' } as AuditEnd)).toBe(
    'no-content',
  );
});

test('only the categories that were asked for are needed, and their warnings are told', () => {
  const onlySeo = audited({
    metrics: { ...noMetrics, seo: 90 },
    erroredAudits: [{ id: 'unused-css-rules', message: 'x' }],
    screenshotMissing: true,
    withoutCharset: true,
    withoutMeaningfulPaint: true,
    uncheckedRules: ['color-contrast', 'label'],
  });
  const verdict = judge({ ...observed(onlySeo), categories: ['seo'] });
  expect(verdict.state).toBe('succeeded');
  expect(verdict.warnings.join(' ')).toMatch(
    /unused-css-rules.*color-contrast, label.*charset.*meaningful paint.*screenshot/,
  );
  expect(judge({ ...observed(onlySeo), categories: ['seo', 'accessibility'] }).state).toBe('failed');
});

test('a machine is busy when others are at work and the audit waits for them', () => {
  const contended = (others: number, waited: number, stolen = 0) =>
    judge({ ...observed(audited()), cpu: cpu({ others, waited, stolen }) }).environment;
  expect(contended(0.9, 1)).toMatchObject({ cpuBusy: 0.9, contended: true });
  expect(contended(0.4, 0.05)).toMatchObject({ cpuBusy: 0.4, contended: false }); // there was room for both
  expect(contended(0.01, 0.9)).toMatchObject({ contended: false }); // it waited for itself
  expect(contended(0.45, 0.9)).toMatchObject({ contended: false }); // others that are not timed stood back
  expect(contended(0.1, 0.1, 0.08)).toMatchObject({ contended: false });
  expect(contended(0.1, 0.1, 0.15)).toMatchObject({ contended: true }); // which falsifies numbers
  const hung = judge({
    ...observed({ how: 'stopped', why: 'audit-timeout' }),
    cpu: cpu({ others: 0.1, waited: 0.1, stolen: 0.15 }),
  });
  expect(hung).toMatchObject({ state: 'failed', environment: { contended: false } }); // but hangs no page
  const onlySeo = judge({
    ...observed(audited()),
    categories: ['seo'],
    cpu: cpu({ others: 0.9, waited: 1, stolen: 0.5 }),
  });
  expect(onlySeo.environment).toMatchObject({ cpuBusy: 0.9, contended: false }); // no time was measured
  expect(judge({ ...observed(audited()), cpu: null }).environment).toMatchObject({ cpuBusy: null, contended: null });
});
