import type { RunProblemCode } from '../../../shared/problems.ts';
import { cutText } from '../../../shared/text.ts';
import type { AuditSummary, MainFrame } from '../messages.ts';
import { MAX_NAVIGATIONS, NO_BROWSER } from '../stop-rules.ts';
import { contentTypeDetail, type Fault, faultOfDocument } from './document-faults.ts';
import { moveSentence } from './moves.ts';
import {
  exceededByteLimit,
  isBlank,
  isErrorPage,
  isErrorStatus,
  type Observation,
  patternOfDocument,
} from './observation.ts';
import { PAGE_STALLED } from './retry-rules.ts';

/** Returns why an audit failed. Call it only for an audit that is not complete. */
export const faultOf = (observation: Observation): Fault => {
  const pattern = patternOfDocument(observation);
  if (pattern !== undefined) {
    const detail = `One of the check's own \`blockedUrlPatterns\` blocks the document: "${pattern}" matches ${observation.mainFrame.url}.`;
    return { code: 'forbidden-target', detail };
  }
  const status = errorStatusOf(observation);
  const cause = faultOfEnd(observation);
  const isHidden = status !== null && CODES_OF_A_BAD_DOCUMENT.includes(cause.code);
  const fault: Fault = isHidden ? { ...cause, code: 'http-error', detail: statusDetail(status) } : cause;
  if (fault.code === 'http-error') return { ...fault, detail: `${fault.detail}${moveSentence(observation.mainFrame)}` };
  if (!isArriving(observation.mainFrame) || !CODES_OF_A_HANG.includes(fault.code)) return fault;
  return observation.mainFrame.large
    ? { ...fault, code: 'page-too-large', detail: DOCUMENT_TOO_LARGE }
    : { ...fault, code: 'load-timeout', detail: lateDetail(observation.mainFrame) };
};

/** Returns what did not come in time. */
const lateDetail = ({ status }: MainFrame): string =>
  status === null ? 'The server sent no response in time.' : 'The document did not finish loading in time.';

/** Codes of a document that is no page. An error status explains such a document better. */
const CODES_OF_A_BAD_DOCUMENT: readonly RunProblemCode[] = [
  'not-html',
  'no-content',
  'unreachable',
  'invalid-response',
];

/** Returns the error status of the audited document, which may have failed to load, or null. */
const errorStatusOf = ({ end, mainFrame }: Observation): number | null => {
  const status = end.how === 'audited' && end.status !== null ? end.status : mainFrame.status;
  return isErrorStatus(status) ? status : null;
};

/**
 * Returns true if no main document has finished loading. A page can't respond before that, so its scripts are not to blame
 * for a hang. A page that opens dialogs does run scripts, but the dialogs keep its document from finishing.
 */
const isArriving = ({ url, everFinished, failure, tooMuch }: MainFrame): boolean =>
  url !== null && !everFinished && !failure && tooMuch !== 'dialogs';

/** Codes of a page that did not respond in time. */
const CODES_OF_A_HANG: readonly RunProblemCode[] = ['load-timeout', 'page-hung', 'protocol-timeout', 'audit-timeout'];

/** The browser may need seconds to lay out each MiB, so the size and not the server may be the reason. */
const DOCUMENT_TOO_LARGE = 'The document is larger than 10 MiB and did not finish loading in time.';

const faultOfEnd = (observation: Observation): Fault => {
  const { end } = observation;
  switch (end.how) {
    case 'audited': {
      const { runtimeError } = end.summary;
      if (end.document === 'unparsable') {
        return { code: 'not-html', detail: 'The document is XML that is not well-formed.' };
      }
      if (runtimeError) return faultOfAuditCode(runtimeError.code, runtimeError.message, observation);
      return faultOfLoadedPage(end.status, observation) ?? faultOfMissingMetrics(end.summary, observation);
    }
    case 'failed':
      if (end.code === NO_BROWSER) return { code: 'internal', detail: end.message };
      if (!end.browserAlive) return { code: 'browser-crashed', auditCode: end.code };
      return faultOfAuditCode(end.code || null, end.message, observation);
    case 'stopped':
      if (end.why === 'main-document-failed') return faultOfDocument(observation);
      if (end.why === 'page-stalled') return { code: 'page-hung', auditCode: PAGE_STALLED, detail: STALLED };
      return { code: end.why, ...(end.detail && { detail: end.detail }) };
    case 'exited':
      return { code: 'internal' };
  }
};

const STALLED = 'The page stopped responding to Lighthouse after it had loaded.';

/** Returns the fault of an error code. Lighthouse's codes are coarse, so the main frame decides where they are ambiguous. */
const faultOfAuditCode = (auditCode: string | null, message: string, observation: Observation): Fault => {
  const { mainFrame } = observation;
  if (mainFrame.navigations > MAX_NAVIGATIONS) return { code: 'redirect-loop', auditCode };
  const rule = auditCode && byAuditCode.get(auditCode);
  if (rule) return { ...(typeof rule === 'string' ? { code: rule } : rule(observation, message)), auditCode };
  if (STACK_LIMIT.test(message)) return { code: 'page-too-large', auditCode, detail: TOO_DEEPLY_NESTED };
  if (mainFrame.crashed) return { code: 'page-crashed', auditCode };
  const detail = `The audit failed with an error: ${cutText(message, 300)}`;
  return { code: 'internal', auditCode, detail };
};

/** Chromium's error for a tree of frames or elements that is too deep for a DevTools message. */
const STACK_LIMIT = /stack limit exceeded/;
const TOO_DEEPLY_NESTED = 'The page nests elements or frames too deeply for the browser to report them.';

const statusDetail = (status: string | number | null) =>
  status === null ? 'The server answered with an error status.' : `The server answered with status ${status}.`;

/** Returns the faults that Lighthouse misses, because it only checks the first document. */
const faultOfLoadedPage = (status: number | null, observation: Observation): Fault | undefined => {
  if (isErrorStatus(status)) return { code: 'http-error', detail: statusDetail(status) };
  const { escapedTo } = observation.mainFrame;
  if (escapedTo) return { code: 'no-content', detail: `The page went to ${escapedTo} while it was being audited.` };
  const exceeded = exceededByteLimit(observation);
  if (!exceeded) return undefined;
  const detail = `A response from ${exceeded.host} exceeded a limit of the service (${exceeded.reason}).`;
  return { code: 'page-too-large', detail };
};

/** Returns why a page painted nothing: its document failed, or it is still loading, or it is blank. */
const faultOfBlank = (observation: Observation): Fault => {
  const { failure, finished, loaded } = observation.mainFrame;
  if (failure) return faultOfDocument(observation);
  if (!finished) return { code: 'load-timeout', detail: lateDetail(observation.mainFrame) };
  return loaded ? { code: 'no-content' } : { code: 'load-timeout', detail: RESOURCE_MISSING };
};

const RESOURCE_MISSING =
  'The page painted nothing because a required resource, such as a style sheet, did not load in time.';

/** Returns why scores or metrics are missing although Lighthouse reports no runtime error. */
const faultOfMissingMetrics = (summary: AuditSummary, observation: Observation): Fault => {
  const { end, mainFrame } = observation;
  const messageOf = (id: string) => summary.erroredAudits.find((audit) => audit.id === id)?.message ?? '';
  const fcpMessage = messageOf('first-contentful-paint');
  const lcpCode = auditCodeIn(messageOf('largest-contentful-paint'));
  if (isErrorPage(summary)) return faultOfDocument(observation);
  if (!/^https?:/.test(summary.finalUrl ?? '')) {
    const address = summary.finalUrl ? `${cutText(summary.finalUrl, 200)}, which is not` : 'an address that is not';
    return { code: 'no-content', detail: `The page navigated to ${address} http or https.` };
  }
  if (/NO_FCP|mainDocumentRequest not found|identify the main resource/.test(fcpMessage)) {
    // A blank document that failed, perhaps only on the second visit, is no blank page. A download aborts a navigation.
    const isBroken = mainFrame.failure && mainFrame.failure !== 'ERR_ABORTED';
    return isBroken ? faultOfDocument(observation) : { code: 'no-content' };
  }
  if (end.how === 'audited' && end.document === 'gone') return { code: 'no-content', detail: BODY_GONE };
  if (isBlank(observation)) return faultOfBlank(observation);
  const hasNoLargestPaint = !fcpMessage && lcpCode === 'NO_LCP'; // the browser may then record no screenshot either
  if (/screenshots/i.test(messageOf('speed-index')) && !hasNoLargestPaint) return { code: 'no-screenshots' };
  if (!mainFrame.finished) return { code: 'load-timeout', detail: lateDetail(mainFrame) };
  const ttiCode = auditCodeIn(messageOf('interactive'));
  if (ttiCode?.startsWith('NO_TTI')) return { code: 'load-timeout', auditCode: ttiCode, detail: NEVER_IDLE };
  if (hasNoLargestPaint) return { code: 'no-content', auditCode: lcpCode, detail: NO_LARGEST_PAINT };
  return faultOfErroredAudits(summary.erroredAudits, mainFrame);
};

const NO_LARGEST_PAINT =
  'Nothing on the page counts as a largest contentful paint. These do not count: an image that covers the whole viewport, an inline SVG, a canvas, and a video without a poster. Add text or another image, or request the other categories without performance.';

const BODY_GONE = 'The page removed its own body, so that nothing was left to measure.';

/** Lighthouse reports this without simulated throttling only. */
const NEVER_IDLE =
  'The page was never idle for five seconds, so it has no TTI. Request the audit without `throttling: "none"`, or the other categories without performance.';

const faultOfErroredAudits = (audits: AuditSummary['erroredAudits'], { large }: MainFrame): Fault => {
  if (audits.some(({ message }) => STACK_LIMIT.test(message))) {
    const detail = `${TOO_DEEPLY_NESTED} Request only the categories performance and accessibility.`;
    return { code: 'page-too-large', detail };
  }
  const ids = audits.slice(0, 5).map(({ id }) => id);
  if (ids.includes('charset') && large) {
    const detail = 'The document is larger than the 10 MB that the browser keeps for audits.';
    return { code: 'page-too-large', detail };
  }
  const message = audits[0]?.message ?? '';
  const detail = `Lighthouse could not complete these audits: ${ids.join(', ') || 'unknown'}. ${cutText(message, 300)}`;
  return { code: 'internal', auditCode: auditCodeIn(message), detail: detail.trim() };
};

/** Returns the code in the message of a Lighthouse error. The code is at the end, as in `… (NO_FMP)`, or the whole message. */
const auditCodeIn = (message: string): string | null => /(?:^|\()([A-Z][A-Z_]+)\)?$/.exec(message)?.[1] ?? null;

const faultOfErrorStatus = ({ mainFrame }: Observation, message: string): Fault => {
  // The main frame may show a later document. The message has the status of the document that Lighthouse checked.
  const [, status = mainFrame.status] = /Status code: (\d+)/.exec(message) ?? [];
  return { code: 'http-error', detail: statusDetail(status) };
};

const faultOfProtocolTimeout = ({ end }: Observation): Fault => {
  const hung = 'pageAnswers' in end && end.pageAnswers === false;
  const gathered = end.how === 'audited' && end.summary.runtimeError?.artifactKey;
  const part = gathered ? ` Lighthouse was gathering ${gathered}.` : '';
  const detail = `The page did not respond to Lighthouse in time.${part}`;
  return { code: hung ? 'page-hung' : 'protocol-timeout', detail };
};

/** Rules by error code. The codes come from Lighthouse and from the auditor process. */
const byAuditCode = new Map<string, RunProblemCode | ((observation: Observation, message: string) => Fault)>([
  ['DNS_FAILURE', 'dns-failure'],
  ['ERRORED_DOCUMENT_REQUEST', faultOfErrorStatus],
  ['NOT_HTML', ({ mainFrame }) => ({ code: 'not-html', detail: contentTypeDetail(mainFrame.mimeType) })],
  ['INSECURE_DOCUMENT_REQUEST', 'tls-error'],
  ['CHROME_INTERSTITIAL_ERROR', faultOfDocument],
  ['PAGE_HUNG', 'page-hung'],
  ['PROTOCOL_TIMEOUT', faultOfProtocolTimeout],
  ['TARGET_CRASHED', 'page-crashed'],
  ['FAILED_DOCUMENT_REQUEST', faultOfDocument],
  ['NO_DOCUMENT_REQUEST', faultOfDocument],
  ['NO_FCP', faultOfBlank],
  ['NO_SCREENSHOTS', 'no-screenshots'],
  ['NO_SPEEDLINE_FRAMES', 'no-screenshots'],
  ['SPEEDINDEX_OF_ZERO', 'no-screenshots'],
]);
