import type { RunProblemCode } from '../../shared/problems.ts';
import type { AuditSummary, MainFrame, Outcome } from './messages.ts';
import { exceededByteLimit, isBlank, isErrorPage, isErrorStatus, type Observation } from './observation.ts';
import { MAX_NAVIGATIONS } from './stop-rules.ts';

export type Fault = { code: RunProblemCode; auditCode?: string | null; detail?: string };

export const faultOf = (observation: Observation): Fault => {
  const fault = faultOfEnd(observation);
  // A browser asks nothing of a page whose document has not come: that it does not answer says nothing of its scripts.
  // One that opens dialogs runs its scripts, though they keep its document from ending.
  const { url, everFinished, failure, large, tooMuch } = observation.mainFrame;
  const isArriving = url !== null && !everFinished && !failure && tooMuch !== 'dialogs';
  if (!isArriving || !['load-timeout', ...CODES_OF_A_HANG].includes(fault.code)) return fault;
  return large ? { ...fault, code: 'page-too-large', detail: DOCUMENT_TOO_LARGE } : { ...fault, code: 'load-timeout' };
};

const CODES_OF_A_HANG: readonly RunProblemCode[] = ['page-hung', 'protocol-timeout', 'audit-timeout'];

/** A browser may take seconds for each MiB of what it has to lay out, whatever the server does. */
const DOCUMENT_TOO_LARGE = 'The document is larger than 10 MiB and did not finish loading in time.';

const faultOfEnd = (observation: Observation): Fault => {
  const { end } = observation;
  switch (end.how) {
    case 'audited':
      if (end.document === 'unparsable')
        return { code: 'not-html', detail: 'The document is XML that is not well-formed.' };
      return end.summary.runtimeError
        ? faultOfAuditCode(end.summary.runtimeError.code, end.summary.runtimeError.message, observation)
        : (faultOfLoadedPage(end.status, observation) ?? faultOfMissingMetrics(end.summary, observation));
    case 'failed': {
      if (!end.browserAlive) return { code: 'browser-crashed', auditCode: end.code };
      return faultOfAuditCode(end.code ?? '', end.message, observation);
    }
    case 'stopped':
      return end.why === 'main-document-failed'
        ? faultOfDocument(observation)
        : { code: end.why, ...(end.detail && { detail: end.detail }) };
    case 'exited':
      return { code: 'internal' };
  }
};

/** From Lighthouse's code, made finer by what the main frame did. */
const faultOfAuditCode = (auditCode: string, message: string, observation: Observation): Fault => {
  const { mainFrame } = observation;
  if (mainFrame.navigations > MAX_NAVIGATIONS) return { code: 'redirect-loop', auditCode };
  const rule = byAuditCode.get(auditCode);
  if (rule) return { ...(typeof rule === 'string' ? { code: rule } : rule(observation, message)), auditCode };
  if (STACK_LIMIT.test(message)) return { code: 'page-too-large', auditCode, detail: TOO_DEEPLY_NESTED };
  if (mainFrame.crashed) return { code: 'page-crashed', auditCode };
  const detail = `The audit failed with an error: ${message.slice(0, 300)}`;
  return { code: 'internal', auditCode: auditCode || null, detail };
};

/** Chromium's own words for an answer that nests too deep to be written: the tree of frames, or that of elements. */
const STACK_LIMIT = /stack limit exceeded/;
const TOO_DEEPLY_NESTED = 'The page nests elements or frames too deeply for the browser to report them.';

const statusDetail = (status: string | number | null) => `The server answered with status ${status ?? 'unknown'}.`;

/** What Lighthouse does not mind, or does not see: it looks at the first document of an address alone. */
const faultOfLoadedPage = (status: number | null, observation: Observation): Fault | undefined => {
  if (isErrorStatus(status)) return { code: 'http-error', detail: statusDetail(status) };
  const exceeded = exceededByteLimit(observation);
  if (exceeded)
    return {
      code: 'page-too-large',
      detail: `A response from ${exceeded.host} exceeded a limit of the service (${exceeded.reason}).`,
    };
  return undefined;
};

/** A page that painted nothing: it failed, did not end, waits for what does not come, or is blank. */
const faultOfBlank = (observation: Observation): Fault => {
  if (observation.mainFrame.failure) return faultOfDocument(observation);
  if (!observation.mainFrame.finished) return { code: 'load-timeout' };
  return observation.mainFrame.loaded ? { code: 'no-content' } : { code: 'load-timeout', detail: RESOURCE_MISSING };
};

const RESOURCE_MISSING =
  'The page painted nothing because a required resource, such as a style sheet, did not load in time.';

/** Scores or metrics are missing though Lighthouse reports no error. */
const faultOfMissingMetrics = (summary: AuditSummary, observation: Observation): Fault => {
  const messageOf = (id: string) => summary.erroredAudits.find((audit) => audit.id === id)?.message ?? '';
  const first = messageOf('first-contentful-paint');
  const largest = auditCodeIn(messageOf('largest-contentful-paint'));
  if (isErrorPage(summary)) return faultOfDocument(observation);
  if (!/^https?:/.test(summary.finalUrl ?? '')) {
    return { code: 'no-content', detail: 'The page navigated to an address that is not http or https.' };
  }
  if (/NO_FCP|mainDocumentRequest not found|identify the main resource/.test(first)) return { code: 'no-content' };
  if (observation.end.how === 'audited' && observation.end.document === 'gone') return { code: 'no-content' };
  if (isBlank(observation)) return faultOfBlank(observation);
  if (/screenshots/i.test(messageOf('speed-index'))) return { code: 'no-screenshots' };
  if (!observation.mainFrame.finished) return { code: 'load-timeout' };
  if (!first && largest === 'NO_LCP') return { code: 'no-content', auditCode: largest, detail: NO_LARGEST_PAINT };
  if (summary.erroredAudits.some(({ message }) => STACK_LIMIT.test(message))) {
    return {
      code: 'page-too-large',
      detail: `${TOO_DEEPLY_NESTED} Request only the categories performance and accessibility.`,
    };
  }
  const errored = summary.erroredAudits.map((audit) => audit.id).slice(0, 5);
  if (errored.includes('charset')) {
    return {
      code: 'page-too-large',
      detail: 'The document is larger than the 10 MB that the browser keeps for audits.',
    };
  }
  return {
    code: 'internal',
    auditCode: auditCodeIn(messageOf(errored[0] ?? '')),
    detail:
      `Lighthouse could not complete these audits: ${errored.join(', ') || 'unknown'}. ${messageOf(errored[0] ?? '').slice(0, 300)}`.trim(),
  };
};

const NO_LARGEST_PAINT =
  'Nothing on the page counts as a largest contentful paint. For example, a canvas does not count. Request the other categories without performance.';

/** Lighthouse ends the message of an error that it knows with its code, `… (NO_FMP)`, or says no more than that. */
const auditCodeIn = (message: string): string | null => /(?:^|\()([A-Z][A-Z_]+)\)?$/.exec(message)?.[1] ?? null;

/** The main document could not be had, or has nothing in it: the browser's reason, and behind a proxy's failure the proxy's own. */
const faultOfDocument = (observation: Observation): Fault => {
  const { status, empty, url, failure } = observation.mainFrame;
  if (empty) {
    return isErrorStatus(status)
      ? { code: 'http-error', detail: statusDetail(status) }
      : { code: 'no-content', detail: 'The server answered with an empty document.' };
  }
  const { hostname, port, protocol } = new URL(url ?? 'http://unknown.invalid/');
  const decision = observation.decisionOn(hostname, Number(port || (protocol === 'https:' ? 443 : 80)));
  if (decision && decision.outcome !== 'allowed') return byDecision[decision.outcome](hostname, decision.reason);
  if (!failure) return { code: 'unreachable' };
  for (const [pattern, rule] of byNetError) {
    const fault = pattern.test(failure) && rule(failure, observation);
    if (fault) return fault;
  }
  return { code: 'unreachable', detail: `The browser could not load the document: ${failure}.` };
};

const byDecision: Record<Exclude<Outcome, 'allowed'>, (host: string, reason?: string) => Fault> = {
  refused: (host) => ({
    code: 'forbidden-target',
    detail: `The page leads to ${host}, which the service does not audit.`,
  }),
  'dns-failure': (host, reason) => ({
    code: 'dns-failure',
    detail: `The host name ${host} does not resolve to an address${inParentheses(reason)}.`,
  }),
  'over-cap': () => ({ code: 'page-too-large' }),
  unreachable: (host, reason) => ({
    code: 'unreachable',
    detail: `The server ${host} is unreachable${inParentheses(reason)}.`,
  }),
};
const inParentheses = (reason: string | undefined) => (reason ? ` (${reason})` : '');

const byNetError: readonly [
  pattern: RegExp,
  fault: (failure: string, observation: Observation) => Fault | undefined,
][] = [
  [/^ERR_TOO_MANY_REDIRECTS$/, () => ({ code: 'redirect-loop' })],
  [/^ERR_(CERT|SSL|BAD_SSL)_/, (failure) => ({ code: 'tls-error', detail: `The TLS connection failed: ${failure}.` })],
  [
    /^ERR_(UNSAFE_|UNKNOWN_URL_SCHEME|DISALLOWED_URL_SCHEME|INVALID_REDIRECT)/,
    (failure) => ({
      code: 'forbidden-target',
      detail: `The page leads to an address that the service does not audit: ${failure}.`,
    }),
  ],
  [/^ERR_NAME_NOT_RESOLVED$/, () => ({ code: 'dns-failure' })],
  [/^ERR_ABORTED$/, (_, { mainFrame }) => faultOfAborted(mainFrame)],
];

const faultOfAborted = ({ status, attachment, mimeType }: MainFrame): Fault | undefined => {
  if (status !== null && STATUSES_WITHOUT_CONTENT.includes(status)) {
    return { code: 'no-content', detail: `The server answered with status ${status}, which has no content.` };
  }
  if (attachment) return { code: 'not-html', detail: 'The server sent the document as a download.' };
  if (mimeType && !/html/.test(mimeType))
    return { code: 'not-html', detail: `The document has the content type ${mimeType}.` };
  return undefined;
};
const STATUSES_WITHOUT_CONTENT: readonly number[] = [204, 205, 304];

/** Codes of Lighthouse, of its protocol client, and of the auditor (child.ts). */
const byAuditCode = new Map<string, RunProblemCode | ((observation: Observation, message: string) => Fault)>([
  ['DNS_FAILURE', 'dns-failure'],
  [
    'ERRORED_DOCUMENT_REQUEST',
    ({ mainFrame }, message) => ({
      code: 'http-error',
      detail: statusDetail(/Status code: (\d+)/.exec(message)?.[1] ?? mainFrame.status), // of several, Lighthouse's is the first
    }),
  ],
  [
    'NOT_HTML',
    ({ mainFrame }) => ({
      code: 'not-html',
      detail: `The document has the content type ${mainFrame.mimeType ?? 'unknown'}.`,
    }),
  ],
  ['INSECURE_DOCUMENT_REQUEST', 'tls-error'],
  ['CHROME_INTERSTITIAL_ERROR', 'tls-error'],
  ['PAGE_HUNG', 'page-hung'],
  [
    'PROTOCOL_TIMEOUT',
    ({ end }) => {
      const hung = 'pageAnswers' in end && end.pageAnswers === false;
      const gathered = end.how === 'audited' && end.summary.runtimeError?.artifactKey;
      const part = gathered ? ` Lighthouse was gathering ${gathered}.` : '';
      const detail = `The page did not respond to Lighthouse in time.${part}`;
      return { code: hung ? 'page-hung' : 'protocol-timeout', detail };
    },
  ],
  ['TARGET_CRASHED', 'page-crashed'],
  ['FAILED_DOCUMENT_REQUEST', faultOfDocument],
  ['NO_DOCUMENT_REQUEST', faultOfDocument],
  ['NO_FCP', faultOfBlank],
  ['NO_SCREENSHOTS', 'no-screenshots'],
  ['NO_SPEEDLINE_FRAMES', 'no-screenshots'],
  ['SPEEDINDEX_OF_ZERO', 'no-screenshots'],
]);
