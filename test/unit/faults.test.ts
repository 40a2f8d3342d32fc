import { expect, test } from 'vitest';
import type { AuditEnd } from '../../functions/auditor/messages.ts';
import type { Fault } from '../../functions/auditor/verdict/document-faults.ts';
import { faultOf } from '../../functions/auditor/verdict/faults.ts';
import { judge } from '../../functions/auditor/verdict/judge.ts';
import type { Observation } from '../../functions/auditor/verdict/observation.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { runProblems } from '../../shared/problems.ts';
import { audited, observed, runtimeError, stopped } from '../support/observation.ts';

const failed = (code: string, message = '', browserAlive = true): AuditEnd => ({
  how: 'failed',
  code,
  message,
  browserAlive,
  pageAnswers: null,
});
const stoppedFor = (why: keyof typeof runProblems, detail?: string): AuditEnd => ({
  how: 'stopped',
  why,
  ...(detail && { detail }),
});
const erroredAudits = (...audits: [id: string, message: string][]) =>
  audited({ metrics: noMetrics, erroredAudits: audits.map(([id, message]) => ({ id, message })) });
const withEnd = (end: AuditEnd, changes: object): AuditEnd => ({ ...end, ...changes });

const LATE = 'The document did not finish loading in time.';
const arriving = { finished: false, everFinished: false };
const TOO_DEEPLY_NESTED = 'The page nests elements or frames too deeply for the browser to report them.';

/** At least one row for each error code of a failed audit. */
const faults: [observation: Observation, fault: Fault][] = [
  // Decisions of the egress proxy
  [
    observed(stopped, {}, { outcome: 'dns-failure', reason: 'ENOTFOUND' }),
    { code: 'dns-failure', detail: 'The host name example.com does not resolve to an address (ENOTFOUND).' },
  ],
  [
    observed(stopped, {}, { outcome: 'unreachable', reason: 'ECONNREFUSED' }),
    { code: 'unreachable', detail: 'The server example.com:443 is unreachable (ECONNREFUSED).' },
  ],
  [
    observed(stopped, {}, { outcome: 'refused', reason: 'The rule.' }),
    {
      code: 'forbidden-target',
      detail: 'The page leads to example.com:443, which the service does not audit. The rule.',
    },
  ],
  [
    observed(stopped, {}, { outcome: 'over-cap', reason: 'bytes per audit' }),
    {
      code: 'page-too-large',
      detail: 'The connection to example.com:443 exceeded a limit of the service (bytes per audit).',
    },
  ],

  // Net errors of the browser
  [observed(stopped, { failure: 'ERR_NAME_NOT_RESOLVED' }), { code: 'dns-failure' }],
  [observed(stopped, { failure: 'ERR_TOO_MANY_REDIRECTS' }), { code: 'redirect-loop' }],
  [
    observed(stopped, { failure: 'ERR_CERT_DATE_INVALID' }),
    { code: 'tls-error', detail: 'The TLS connection failed: ERR_CERT_DATE_INVALID.' },
  ],
  [
    observed(stopped, { failure: 'ERR_BAD_SSL_CLIENT_AUTH_CERT' }),
    {
      code: 'tls-error',
      detail:
        'The server requires a client certificate (ERR_BAD_SSL_CLIENT_AUTH_CERT), and an audit has none. Audit the page at an address that needs none.',
    },
  ],
  [
    observed(stopped, { failure: 'ERR_FAILED', navigations: 1 }),
    {
      code: 'unreachable',
      detail:
        "The document failed inside the browser (ERR_FAILED), although the server could be reached. The page's service worker probably answered the request and failed. Correct its fetch handler.",
    },
  ],
  [
    observed(stopped, { failure: 'ERR_UNSAFE_PORT', url: 'http://127.0.0.1:9/' }),
    { code: 'forbidden-target', detail: 'The page leads to http://127.0.0.1:9/. Browsers refuse to open its port.' },
  ],
  [
    observed(stopped, { failure: 'ERR_UNSAFE_REDIRECT' }),
    {
      code: 'forbidden-target',
      detail:
        'The page leads to an address that is not http or https, such as a file: or data: address (ERR_UNSAFE_REDIRECT).',
    },
  ],
  [
    observed(stopped, { failure: 'ERR_INVALID_REDIRECT', status: 302 }),
    {
      code: 'invalid-response',
      detail:
        'The server redirects to an address that is not a valid URL (ERR_INVALID_REDIRECT). Correct its Location header.',
    },
  ],
  [
    observed(stopped, { failure: 'ERR_ABORTED', status: 204 }),
    { code: 'no-content', detail: 'The server answered with status 204, which has no content.' },
  ],
  [
    observed(stopped, { failure: 'ERR_ABORTED', attachment: true }),
    { code: 'not-html', detail: 'The server sent the document as a download.' },
  ],
  [
    observed(stopped, { failure: 'ERR_ABORTED', mimeType: 'application/pdf' }),
    { code: 'not-html', detail: 'The document has the content type application/pdf.' },
  ],
  [
    observed(stopped, { failure: 'ERR_EMPTY_RESPONSE' }),
    { code: 'unreachable', detail: 'The browser could not load the document: ERR_EMPTY_RESPONSE.' },
  ],
  [observed(stopped), { code: 'unreachable' }],
  [
    observed(stopped, { failure: 'ERR_CONTENT_DECODING_FAILED' }),
    { code: 'invalid-response', detail: "The browser rejected the server's response: ERR_CONTENT_DECODING_FAILED." },
  ],

  // Empty documents
  [observed(stopped, { empty: true }), { code: 'no-content', detail: 'The server answered with an empty document.' }],
  [
    observed(stopped, { empty: true, status: 500 }),
    { code: 'http-error', detail: 'The server answered with status 500.' },
  ],

  // Error codes of Lighthouse and of the auditor process
  [
    observed(runtimeError('NOT_HTML'), { mimeType: null }),
    { code: 'not-html', auditCode: 'NOT_HTML', detail: 'The document has an unknown content type.' },
  ],
  [observed(failed('PAGE_HUNG')), { code: 'page-hung', auditCode: 'PAGE_HUNG' }],
  [observed(failed('TARGET_CRASHED')), { code: 'page-crashed', auditCode: 'TARGET_CRASHED' }],
  [observed(failed('NO_FCP')), { code: 'no-content', auditCode: 'NO_FCP' }],
  [observed(runtimeError('NO_SPEEDLINE_FRAMES')), { code: 'no-screenshots', auditCode: 'NO_SPEEDLINE_FRAMES' }],
  [observed(failed('ECONNRESET', '', false)), { code: 'browser-crashed', auditCode: 'ECONNRESET' }],
  [
    observed(runtimeError('ERRORED_DOCUMENT_REQUEST', 'Failed (Status code: 404)')),
    { code: 'http-error', auditCode: 'ERRORED_DOCUMENT_REQUEST', detail: 'The server answered with status 404.' },
  ],
  [
    observed(failed('PROTOCOL_TIMEOUT')),
    {
      code: 'protocol-timeout',
      auditCode: 'PROTOCOL_TIMEOUT',
      detail: 'The page did not respond to Lighthouse in time.',
    },
  ],
  [observed(failed('NO_FCP'), { navigations: 21 }), { code: 'redirect-loop', auditCode: 'NO_FCP' }],
  [
    observed(failed('SOMETHING_NEW', 'Protocol error: stack limit exceeded')),
    { code: 'page-too-large', auditCode: 'SOMETHING_NEW', detail: TOO_DEEPLY_NESTED },
  ],
  [observed(failed('SOMETHING_NEW', 'x'), { crashed: true }), { code: 'page-crashed', auditCode: 'SOMETHING_NEW' }],
  [
    observed(failed('constructor', 'x')),
    { code: 'internal', auditCode: 'constructor', detail: 'The audit failed with an error: x' },
  ],

  // Audits that the service stopped, and auditors that exited
  [observed(stoppedFor('audit-timeout')), { code: 'audit-timeout' }],
  [observed(stoppedFor('load-timeout')), { code: 'load-timeout' }],
  [
    observed(stoppedFor('load-timeout'), { ...arriving, status: null }),
    { code: 'load-timeout', detail: 'The server sent no response in time.' },
  ],
  [observed(stoppedFor('page-hung', 'It opens dialogs.')), { code: 'page-hung', detail: 'It opens dialogs.' }],
  [observed({ how: 'exited' }), { code: 'internal' }],

  // Documents that are still loading
  [observed(stoppedFor('audit-timeout'), arriving), { code: 'load-timeout', detail: LATE }],
  [
    observed(stoppedFor('load-timeout'), { ...arriving, large: true }),
    { code: 'page-too-large', detail: 'The document is larger than 10 MiB and did not finish loading in time.' },
  ],
  [observed(stoppedFor('page-hung'), { ...arriving, tooMuch: 'dialogs' }), { code: 'page-hung' }],
  [
    observed(runtimeError('NO_FCP'), { loaded: false }),
    {
      code: 'load-timeout',
      auditCode: 'NO_FCP',
      detail: 'The page painted nothing because a required resource, such as a style sheet, did not load in time.',
    },
  ],

  // Results of Lighthouse that are not complete
  [
    observed(withEnd(audited(), { document: 'unparsable' })),
    { code: 'not-html', detail: 'The document is XML that is not well-formed.' },
  ],
  [
    observed(withEnd(audited(), { status: 403 })),
    { code: 'http-error', detail: 'The server answered with status 403.' },
  ],
  [
    { ...observed(audited()), overCap: [{ host: 'cdn.example.com', reason: 'bytes per connection' }] },
    {
      code: 'page-too-large',
      detail: 'A response from cdn.example.com exceeded a limit of the service (bytes per connection).',
    },
  ],
  [
    observed(withEnd(audited(), { document: 'gone' })),
    { code: 'no-content', detail: 'The page removed its own body, so that nothing was left to measure.' },
  ],
  [
    observed(audited({ finalUrl: 'about:blank' })),
    { code: 'no-content', detail: 'The page navigated to about:blank, which is not http or https.' },
  ],
  [observed(erroredAudits(['first-contentful-paint', 'Required: NO_FCP'])), { code: 'no-content' }],
  [
    observed(erroredAudits(['first-contentful-paint', 'Required: NO_FCP']), { failure: 'ERR_HTTP2_PROTOCOL_ERROR' }),
    { code: 'invalid-response', detail: "The browser rejected the server's response: ERR_HTTP2_PROTOCOL_ERROR." },
  ],
  [
    observed(erroredAudits(['first-contentful-paint', 'Required: NO_FCP']), { failure: 'ERR_ABORTED' }),
    { code: 'no-content' },
  ],
  [
    observed(erroredAudits(['largest-contentful-paint', 'It painted nothing. (NO_LCP)'])),
    {
      code: 'no-content',
      auditCode: 'NO_LCP',
      detail:
        'Nothing on the page counts as a largest contentful paint. These do not count: an image that covers the whole viewport, an inline SVG, a canvas, and a video without a poster. Add text or another image, or request the other categories without performance.',
    },
  ],
  [observed(erroredAudits(['speed-index', "Chrome didn't collect any screenshots"])), { code: 'no-screenshots' }],
  [observed(erroredAudits(), { finished: false }), { code: 'load-timeout', detail: LATE }],
  [
    observed(erroredAudits(['dom-size', 'stack limit exceeded'])),
    {
      code: 'page-too-large',
      detail: `${TOO_DEEPLY_NESTED} Request only the categories performance and accessibility.`,
    },
  ],
  [
    observed(erroredAudits(['interactive', 'Your page took too long to load. (NO_TTI_CPU_IDLE_PERIOD)'])),
    {
      code: 'load-timeout',
      auditCode: 'NO_TTI_CPU_IDLE_PERIOD',
      detail:
        'The page was never idle for five seconds, so it has no TTI. Request the audit without `throttling: "none"`, or the other categories without performance.',
    },
  ],
  [
    observed(erroredAudits(['charset', 'x']), { large: true }),
    { code: 'page-too-large', detail: 'The document is larger than the 10 MB that the browser keeps for audits.' },
  ],
  [
    observed(erroredAudits(['charset', 'x'])),
    { code: 'internal', auditCode: null, detail: 'Lighthouse could not complete these audits: charset. x' },
  ],
  [
    observed(erroredAudits(['interactive', 'No trace. (NO_FMP)'], ['tbt', 'x'])),
    {
      code: 'internal',
      auditCode: 'NO_FMP',
      detail: 'Lighthouse could not complete these audits: interactive, tbt. No trace. (NO_FMP)',
    },
  ],
  [
    observed(erroredAudits()),
    { code: 'internal', auditCode: null, detail: 'Lighthouse could not complete these audits: unknown.' },
  ],
];

test.each(
  faults.map(([observation, fault]) => ({ says: fault.detail ?? runProblems[fault.code].message, observation, fault })),
)('an audit fails with $fault.code: $says', ({ observation, fault }) => {
  expect(faultOf(observation)).toEqual(fault);
});

test('the table has every error code that an audit can give', () => {
  const given = new Set(faults.map(([, { code }]) => code));
  const codes = Object.keys(runProblems).filter((code) => code !== 'storage-failure' && code !== 'abandoned');
  expect([...given].sort()).toEqual(codes.sort());
});

test.each([
  ['DNS_FAILURE', {}, 'dns-failure'],
  ['ERRORED_DOCUMENT_REQUEST', { status: 404 }, 'http-error'],
  ['NOT_HTML', { mimeType: 'application/json' }, 'not-html'],
  ['INSECURE_DOCUMENT_REQUEST', {}, 'tls-error'],
  ['PAGE_HUNG', {}, 'page-hung'],
  ['TARGET_CRASHED', {}, 'page-crashed'],
  ['NO_SCREENSHOTS', {}, 'no-screenshots'],
  ['NO_FCP', {}, 'no-content'],
  ['NO_FCP', { finished: false }, 'load-timeout'],
  ['NO_FCP', { failure: 'ERR_TOO_MANY_REDIRECTS' }, 'redirect-loop'],
  ['NO_FCP', { navigations: 300 }, 'redirect-loop'],
  ['FAILED_DOCUMENT_REQUEST', { failure: 'ERR_CERT_AUTHORITY_INVALID' }, 'tls-error'],
  ['SOMETHING_NEW', {}, 'internal'],
] as const)('audit code %s with main frame %j gives %s', (code, frame, fault) => {
  const end = runtimeError(code);
  expect(faultOf(observed(end, frame))).toMatchObject({ code: fault, auditCode: code });
  expect(judge(observed(end, frame))).toMatchObject({ state: 'failed', error: { code: fault, auditCode: code } });
});

test.each([
  [{ failure: 'ERR_SOCKS_CONNECTION_FAILED' }, { outcome: 'dns-failure', reason: 'ENOTFOUND' }, 'dns-failure'],
  [{ failure: 'ERR_SOCKS_CONNECTION_FAILED' }, { outcome: 'refused', reason: 'private' }, 'forbidden-target'],
  [{ failure: 'ERR_SOCKS_CONNECTION_FAILED' }, { outcome: 'unreachable', reason: 'ECONNREFUSED' }, 'unreachable'],
  [{ failure: 'ERR_CONNECTION_RESET' }, { outcome: 'over-cap' }, 'page-too-large'],
  [{ failure: 'ERR_EMPTY_RESPONSE' }, { outcome: 'allowed' }, 'unreachable'],
  [{ failure: 'ERR_TOO_MANY_REDIRECTS' }, { outcome: 'allowed' }, 'redirect-loop'],
  [{ failure: 'ERR_SSL_PROTOCOL_ERROR' }, { outcome: 'allowed' }, 'tls-error'],
  [{ failure: 'ERR_UNSAFE_PORT' }, undefined, 'forbidden-target'],
  [{ failure: 'ERR_UNSAFE_REDIRECT' }, { outcome: 'allowed' }, 'forbidden-target'],
  [{ failure: 'ERR_ABORTED', status: 204 }, { outcome: 'allowed' }, 'no-content'],
  [{ failure: 'ERR_ABORTED', attachment: true }, { outcome: 'allowed' }, 'not-html'],
  [{ failure: 'ERR_ABORTED', mimeType: 'application/pdf' }, { outcome: 'allowed' }, 'not-html'],
  [{ failure: 'ERR_ABORTED', mimeType: 'text/html' }, { outcome: 'allowed' }, 'unreachable'],
  [{ empty: true }, { outcome: 'allowed' }, 'no-content'],
  [{ empty: true, status: 500 }, { outcome: 'allowed' }, 'http-error'],
] as const)('a failed main document %j with proxy decision %j gives %s', (frame, decision, fault) => {
  expect(faultOf(observed(stopped, frame, decision)).code).toBe(fault);
});

test('a certificate of an unknown authority names the setting that trusts the authority', () => {
  expect(faultOf(observed(stopped, { failure: 'ERR_CERT_AUTHORITY_INVALID' })).detail).toMatch(
    /EXTRA_CA_FILE=<PEM file/,
  );
});

test.each(['ERR_CERTIFICATE_TRANSPARENCY_REQUIRED', 'ERR_CERT_DATE_INVALID', 'ERR_ECH_NOT_NEGOTIATED'])(
  'the net error %s is a tls-error',
  (failure) => expect(faultOf(observed(stopped, { failure })).code).toBe('tls-error'),
);

test.each(['ERR_HTTP2_PROTOCOL_ERROR', 'ERR_BLOCKED_BY_RESPONSE', 'ERR_INVALID_HTTP_RESPONSE'])(
  'the net error %s is an invalid-response',
  (failure) => expect(faultOf(observed(stopped, { failure })).code).toBe('invalid-response'),
);

test('a page without a largest paint is to blame, also if the browser took no screenshot of it', () => {
  const noVideo: [string, string][] = [
    ['largest-contentful-paint', 'It painted nothing. (NO_LCP)'],
    ['speed-index', "Chrome didn't collect any screenshots"],
  ];
  expect(faultOf(observed(erroredAudits(...noVideo)))).toMatchObject({ code: 'no-content', auditCode: 'NO_LCP' });
});

test('an error status explains a failed document better than its type or its net error', () => {
  const frames = [
    { failure: 'ERR_INVALID_RESPONSE', attachment: true }, // how Chromium reports a download with an error status
    { failure: 'ERR_ABORTED', mimeType: 'application/pdf' },
    { failure: 'ERR_CONNECTION_RESET' },
    { failure: 'ERR_CONTENT_DECODING_FAILED' },
    { empty: true },
  ];
  for (const frame of frames) {
    const fault = { code: 'http-error', detail: 'The server answered with status 404.' };
    expect(faultOf(observed(stopped, { ...frame, status: 404 }))).toEqual(fault);
  }
  const json = withEnd(runtimeError('NOT_HTML'), { status: 503 });
  expect(faultOf(observed(json, { status: 503, mimeType: 'application/json' })).code).toBe('http-error');
});

test('the status of a later visit does not explain the page', () => {
  const blank = withEnd(erroredAudits(['first-contentful-paint', 'NO_FCP']), { status: 200 });
  expect(faultOf(observed(blank, { status: 500 })).code).toBe('no-content');
});

test('an error without a code gives no empty audit code', () => {
  const withoutCode = { ...failed('', 'x'), code: null } as AuditEnd;
  expect(faultOf(observed(withoutCode, { navigations: 51 }))).toEqual({ code: 'redirect-loop', auditCode: null });
  expect(faultOf(observed(withoutCode, { crashed: true }))).toEqual({ code: 'page-crashed', auditCode: null });
});
