import type { AuditVersion } from '../../shared/audit-versions.ts';
import { auditVersion } from '../../shared/audit-versions.ts';
import { type RunError, type RunProblemCode, runError } from '../../shared/problems.ts';
import type { Environment, Metrics } from '../../shared/run.ts';
import type { Decision } from './egress-proxy.ts';
import type { Summary } from './lighthouse.ts';
import type { MainFrame } from './main-frame.ts';

/** How an auditor ended, as its parent saw it. */
export type End =
  | { how: 'audited'; summary: Summary }
  | { how: 'threw'; code: string | null; message: string; browserAlive: boolean }
  | { how: 'stopped'; why: RunProblemCode | 'main-document-failed' } // by the parent: no answer would come
  | { how: 'exited' };

export type Observation = {
  auditVersion: AuditVersion;
  end: End;
  mainFrame: MainFrame;
  chromium: string | null;
  /** The egress proxy's newest word on a host and port. */
  decisionOn: (host: string, port: number) => Pick<Decision, 'outcome' | 'reason'> | undefined;
};

export type Verdict = {
  environment: Environment | null;
  finalUrl: string | null;
  warnings: string[];
  report?: { gzip: Buffer; bytes: number };
} & ({ state: 'succeeded'; metrics: Metrics } | { state: 'failed'; error: RunError });

export const MAX_NAVIGATIONS = 20;

/**
 * What an audit says about its page: succeeded only without a runtime error, with a score for every category, a number
 * for every metric, and a web address at its end. Anything else is a failure with a name.
 */
export const judge = (seen: Observation): Verdict => {
  const { end, auditVersion: version, chromium } = seen;
  const summary = end.how === 'audited' ? end.summary : undefined;
  const finalUrl = (summary?.finalUrl ?? seen.mainFrame.url)?.slice(0, 500) ?? null;
  const common = {
    finalUrl,
    warnings: summary?.warnings ?? [],
    environment: chromium
      ? {
          auditVersion: version,
          chromium,
          processModel: 'multi' as const,
          benchmarkIndex: summary?.benchmarkIndex ?? null,
        }
      : null,
    ...(summary && { report: { gzip: summary.report, bytes: summary.reportBytes } }),
  };
  if (summary && isWhole(summary, version)) return { ...common, state: 'succeeded', metrics: summary.metrics };

  const { code, auditCode = null, detail } = faultOf(seen);
  const error = runError(code, { auditCode, ...(detail && { detail }), ...(finalUrl && { finalUrl }) });
  return { ...common, state: 'failed', error };
};

const isWhole = ({ metrics, runtimeError, finalUrl }: Summary, version: AuditVersion): boolean =>
  !runtimeError &&
  /^https?:/.test(finalUrl ?? '') &&
  Object.entries(metrics).every(([name, value]) => value !== null || (name === 'pwa' && !auditVersion(version).pwa));

type Fault = { code: RunProblemCode; auditCode?: string | null; detail?: string };

const faultOf = (seen: Observation): Fault => {
  const { end } = seen;
  switch (end.how) {
    case 'audited':
      return end.summary.runtimeError
        ? faultOfCode(end.summary.runtimeError.code, end.summary.runtimeError.message, seen)
        : faultOfNulls(end.summary, seen);
    case 'threw': {
      if (!end.browserAlive) return { code: 'browser-crashed', auditCode: end.code };
      return faultOfCode(end.code ?? '', end.message, seen);
    }
    case 'stopped':
      return end.why === 'main-document-failed' ? faultOfDocument(seen) : { code: end.why };
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
        detail: `The server answered with status ${mainFrame.status ?? 'unknown'}.`,
      };
    case 'NOT_HTML':
      return { code: 'not-html', auditCode, detail: `The document is of type ${mainFrame.mimeType ?? 'unknown'}.` };
    case 'INSECURE_DOCUMENT_REQUEST':
    case 'CHROME_INTERSTITIAL_ERROR':
      return { code: 'tls-error', auditCode };
    case 'PAGE_HUNG':
      return { code: 'page-hung', auditCode };
    case 'PROTOCOL_TIMEOUT':
      return { code: 'protocol-timeout', auditCode };
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
      return mainFrame.crashed
        ? { code: 'page-crashed', auditCode }
        : {
            code: 'internal',
            auditCode: auditCode || null,
            detail: `The audit ended in an error: ${message.slice(0, 300)}`,
          };
  }
};

/** A page that painted nothing: it failed, did not end, or is blank. */
const faultOfBlank = (seen: Observation): Fault => {
  if (seen.mainFrame.failure) return faultOfDocument(seen);
  return { code: seen.mainFrame.finished ? 'no-content' : 'load-timeout' };
};

/** Scores or metrics are missing though Lighthouse reports no error. */
const faultOfNulls = (summary: Summary, seen: Observation): Fault => {
  const messageOf = (id: string) => summary.erroredAudits.find((audit) => audit.id === id)?.message ?? '';
  const first = messageOf('first-contentful-paint');
  if (/^chrome-error:/.test(summary.finalUrl ?? '')) return faultOfDocument(seen);
  if (!/^https?:/.test(summary.finalUrl ?? '')) {
    return { code: 'no-content', detail: 'The page led to an address that is not on the web.' };
  }
  if (/NO_FCP|mainDocumentRequest not found|identify the main resource/.test(first)) return { code: 'no-content' };
  if (/screenshots/i.test(messageOf('speed-index'))) return { code: 'no-screenshots' };
  if (!seen.mainFrame.finished) return { code: 'load-timeout' };
  const errored = summary.erroredAudits.map((audit) => audit.id).slice(0, 5);
  return { code: 'internal', detail: `Parts of the audit failed: ${errored.join(', ') || 'unknown'}.` };
};

/** The main document could not be had: the browser's reason, and behind a proxy's failure the proxy's own. */
const faultOfDocument = ({ mainFrame, decisionOn }: Observation): Fault => {
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
    if (mainFrame.mimeType) return { code: 'not-html', detail: `The document is of type ${mainFrame.mimeType}.` };
  }
  return { code: 'unreachable', ...(failure && { detail: `The document could not be loaded: ${failure}.` }) };
};
