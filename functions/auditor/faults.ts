import type { RunProblemCode } from '../../shared/problems.ts';
import type { AuditSummary } from './messages.ts';
import { cutOff, isBlank, isErrorPage, isErrorStatus, type Observation } from './observation.ts';
import { MAX_NAVIGATIONS } from './stop-rules.ts';

export type Fault = { code: RunProblemCode; auditCode?: string | null; detail?: string };

export const faultOf = (seen: Observation): Fault => {
  const fault = faultAsTold(seen);
  // A browser asks nothing of a page whose document has not come: that it does not answer says nothing of its scripts.
  // One that opens dialogs runs its scripts, though they keep its document from ending.
  const { url, everFinished, failure, large, tooMuch } = seen.mainFrame;
  const waiting = url !== null && !everFinished && !failure && tooMuch !== 'dialogs';
  if (!waiting || !['load-timeout', ...HANGS].includes(fault.code)) return fault;
  return large ? { ...fault, code: 'page-too-large', detail: ENDLESS } : { ...fault, code: 'load-timeout' };
};

const HANGS: readonly RunProblemCode[] = ['page-hung', 'protocol-timeout', 'audit-timeout'];

/** A browser may take seconds for each MiB of what it has to lay out, whatever the server does. */
const ENDLESS = 'The document had more than 10 MiB, and had not ended when its time was over.';

const faultAsTold = (seen: Observation): Fault => {
  const { end } = seen;
  switch (end.how) {
    case 'audited':
      if (end.document === 'unparsable')
        return { code: 'not-html', detail: 'The document is XML that is not well formed.' };
      return end.summary.runtimeError
        ? faultOfCode(end.summary.runtimeError.code, end.summary.runtimeError.message, seen)
        : (faultOfShown(end.status, seen) ?? faultOfNulls(end.summary, seen));
    case 'failed': {
      if (!end.browserAlive) return { code: 'browser-crashed', auditCode: end.code };
      return faultOfCode(end.code ?? '', end.message, seen);
    }
    case 'stopped':
      return end.why === 'main-document-failed'
        ? faultOfDocument(seen)
        : { code: end.why, ...(end.detail && { detail: end.detail }) };
    case 'exited':
      return { code: 'internal' };
  }
};

/** From Lighthouse's code, made finer by what the main frame did. */
const faultOfCode = (auditCode: string, message: string, seen: Observation): Fault => {
  const { mainFrame } = seen;
  if (mainFrame.navigations > MAX_NAVIGATIONS) return { code: 'redirect-loop', auditCode };
  switch (auditCode) {
    case 'DNS_FAILURE':
      return { code: 'dns-failure', auditCode };
    case 'ERRORED_DOCUMENT_REQUEST':
      return {
        code: 'http-error',
        auditCode,
        detail: answeredWith(/Status code: (\d+)/.exec(message)?.[1] ?? mainFrame.status), // of several, Lighthouse's is the first
      };
    case 'NOT_HTML':
      return { code: 'not-html', auditCode, detail: `The document is of type ${mainFrame.mimeType ?? 'unknown'}.` };
    case 'INSECURE_DOCUMENT_REQUEST':
    case 'CHROME_INTERSTITIAL_ERROR':
      return { code: 'tls-error', auditCode };
    case 'PAGE_HUNG':
      return { code: 'page-hung', auditCode };
    case 'PROTOCOL_TIMEOUT': {
      const hung = 'pageAnswers' in seen.end && seen.end.pageAnswers === false;
      const gathered = seen.end.how === 'audited' && seen.end.summary.runtimeError?.artifactKey;
      const part = gathered ? ` for its ${gathered}` : '';
      const detail = `The page did not answer Lighthouse in time${part}.`;
      return { code: hung ? 'page-hung' : 'protocol-timeout', auditCode, detail };
    }
    case 'TARGET_CRASHED':
      return { code: 'page-crashed', auditCode };
    case 'FAILED_DOCUMENT_REQUEST':
    case 'NO_DOCUMENT_REQUEST':
      return { ...faultOfDocument(seen), auditCode };
    case 'NO_FCP':
      return { ...faultOfBlank(seen), auditCode };
    case 'NO_SCREENSHOTS':
    case 'NO_SPEEDLINE_FRAMES':
    case 'SPEEDINDEX_OF_ZERO':
      return { code: 'no-screenshots', auditCode };
    default:
      if (STACK_LIMIT.test(message)) return { code: 'page-too-large', auditCode, detail: TOO_DEEP };
      return mainFrame.crashed
        ? { code: 'page-crashed', auditCode }
        : {
            code: 'internal',
            auditCode: auditCode || null,
            detail: `The audit ended in an error: ${message.slice(0, 300)}`,
          };
  }
};

/** Chromium's own words for an answer that nests too deep to be written: the tree of frames, or that of elements. */
const STACK_LIMIT = /stack limit exceeded/;
const TOO_DEEP = 'The page nests its elements or frames deeper than the browser can tell.';

const answeredWith = (status: string | number | null) => `The server answered with status ${status ?? 'unknown'}.`;

/** What Lighthouse does not mind, or does not see: it looks at the first document of an address alone. */
const faultOfShown = (status: number | null, seen: Observation): Fault | undefined => {
  if (isErrorStatus(status)) return { code: 'http-error', detail: answeredWith(status) };
  const cut = cutOff(seen);
  if (cut)
    return { code: 'page-too-large', detail: `Past a limit of the service (${cut.reason}), ${cut.host} was cut off.` };
  return undefined;
};

/** A page that painted nothing: it failed, did not end, waits for what does not come, or is blank. */
const faultOfBlank = (seen: Observation): Fault => {
  if (seen.mainFrame.failure) return faultOfDocument(seen);
  if (!seen.mainFrame.finished) return { code: 'load-timeout' };
  return seen.mainFrame.loaded ? { code: 'no-content' } : { code: 'load-timeout', detail: WAITS };
};

const WAITS =
  'The page showed nothing, and had not all that it waits for, such as a style sheet, when its time was over.';

/** Scores or metrics are missing though Lighthouse reports no error. */
const faultOfNulls = (summary: AuditSummary, seen: Observation): Fault => {
  const messageOf = (id: string) => summary.erroredAudits.find((audit) => audit.id === id)?.message ?? '';
  const first = messageOf('first-contentful-paint');
  const largest = codeIn(messageOf('largest-contentful-paint'));
  if (isErrorPage(summary)) return faultOfDocument(seen);
  if (!/^https?:/.test(summary.finalUrl ?? '')) {
    return { code: 'no-content', detail: 'The page led to an address that is not on the web.' };
  }
  if (/NO_FCP|mainDocumentRequest not found|identify the main resource/.test(first)) return { code: 'no-content' };
  if (seen.end.how === 'audited' && seen.end.document === 'gone') return { code: 'no-content' };
  if (isBlank(seen)) return faultOfBlank(seen);
  if (/screenshots/i.test(messageOf('speed-index'))) return { code: 'no-screenshots' };
  if (!seen.mainFrame.finished) return { code: 'load-timeout' };
  if (!first && largest === 'NO_LCP') return { code: 'no-content', auditCode: largest, detail: NOTHING_LARGE };
  if (summary.erroredAudits.some(({ message }) => STACK_LIMIT.test(message))) {
    return { code: 'page-too-large', detail: `${TOO_DEEP} Its performance and accessibility can be audited alone.` };
  }
  const errored = summary.erroredAudits.map((audit) => audit.id).slice(0, 5);
  if (errored.includes('charset')) {
    return { code: 'page-too-large', detail: 'The document is larger than the browser keeps for its audits.' };
  }
  return {
    code: 'internal',
    auditCode: codeIn(messageOf(errored[0] ?? '')),
    detail:
      `Parts of the audit failed: ${errored.join(', ') || 'unknown'}. ${messageOf(errored[0] ?? '').slice(0, 300)}`.trim(),
  };
};

const NOTHING_LARGE =
  'Nothing that the page showed counts as a largest contentful paint, as where all is drawn on a canvas. Its other categories can be audited without performance.';

/** Lighthouse ends the message of an error that it knows with its code, `… (NO_FMP)`, or says no more than that. */
const codeIn = (message: string): string | null => /(?:^|\()([A-Z][A-Z_]+)\)?$/.exec(message)?.[1] ?? null;

/** The main document could not be had, or has nothing in it: the browser's reason, and behind a proxy's failure the proxy's own. */
const faultOfDocument = ({ mainFrame, decisionOn }: Observation): Fault => {
  const { status } = mainFrame;
  if (mainFrame.empty) {
    return isErrorStatus(status)
      ? { code: 'http-error', detail: answeredWith(status) }
      : { code: 'no-content', detail: 'The document that the server answered with is empty.' };
  }
  const failure = mainFrame.failure ?? '';
  const { hostname, port, protocol } = new URL(mainFrame.url ?? 'http://unknown.invalid/');
  const decision = decisionOn(hostname, Number(port || (protocol === 'https:' ? 443 : 80)));
  const because = decision?.reason ? ` (${decision.reason})` : '';

  if (decision?.outcome === 'refused') {
    return { code: 'forbidden-target', detail: `The page leads to ${hostname}, which is not audited.` };
  }
  if (decision?.outcome === 'dns-failure') {
    return { code: 'dns-failure', detail: `The host name ${hostname} has no address${because}.` };
  }
  if (decision?.outcome === 'over-cap') return { code: 'page-too-large' };
  if (decision?.outcome === 'unreachable') {
    return { code: 'unreachable', detail: `The server ${hostname} could not be reached${because}.` };
  }

  if (failure === 'ERR_TOO_MANY_REDIRECTS') return { code: 'redirect-loop' };
  if (/^ERR_(CERT|SSL|BAD_SSL)_/.test(failure))
    return { code: 'tls-error', detail: `The secure connection failed: ${failure}.` };
  if (/^ERR_(UNSAFE_|UNKNOWN_URL_SCHEME|DISALLOWED_URL_SCHEME|INVALID_REDIRECT)/.test(failure)) {
    return { code: 'forbidden-target', detail: `The page leads to an address that is not audited: ${failure}.` };
  }
  if (failure === 'ERR_NAME_NOT_RESOLVED') return { code: 'dns-failure' };
  if (failure === 'ERR_ABORTED') {
    if ([204, 205, 304].includes(mainFrame.status ?? 0)) {
      return {
        code: 'no-content',
        detail: `The server answered with status ${mainFrame.status}, which has no content.`,
      };
    }
    if (mainFrame.attachment) return { code: 'not-html', detail: 'The document is a download.' };
    if (mainFrame.mimeType && !/html/.test(mainFrame.mimeType))
      return { code: 'not-html', detail: `The document is of type ${mainFrame.mimeType}.` };
  }
  return { code: 'unreachable', ...(failure && { detail: `The document could not be loaded: ${failure}.` }) };
};
