import { type AuditOptions, type Category, categoriesOf } from '../../shared/audit-options.ts';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { type RunError, type RunProblemCode, runError } from '../../shared/problems.ts';
import type { Environment, Metrics, Run } from '../../shared/run.ts';
import { isFalsified, machine, wasSlowed } from './host/machine.ts';
import type { AuditEnd, AuditSummary, CpuUse, Decision, MainFrame } from './messages.ts';

export type Observation = {
  auditVersion: AuditVersion;
  device: AuditOptions['device'];
  categories?: AuditOptions['categories'];
  lean: boolean;
  end: AuditEnd;
  mainFrame: MainFrame;
  chromium: string | null;
  /** Whether Chromium's own sandbox held its renderers. */
  sandbox: boolean | null;
  cpu: CpuUse | null;
  /** What the egress proxy refused. */
  blocked: Pick<Run, 'blockedRequests' | 'blockedRequestCount'>;
  /** What the egress proxy cut off or refused while the page was measured, as it was too much. */
  overCap: Pick<Decision, 'host' | 'reason'>[];
  /** The egress proxy's newest word on a host and port. */
  decisionOn: (host: string, port: number) => Pick<Decision, 'outcome' | 'reason'> | undefined;
};

export type AuditResult = Pick<Run, 'blockedRequests' | 'blockedRequestCount'> & {
  environment: Environment | null;
  finalUrl: string | null;
  warnings: string[];
  report?: { gzip: Buffer; bytes: number };
} & ({ state: 'succeeded'; metrics: Metrics } | { state: 'failed'; error: RunError });

/** What is known of an audit that told nothing. */
export const nothingSeen = {
  environment: null,
  finalUrl: null,
  warnings: [],
  blockedRequests: [],
  blockedRequestCount: 0,
} satisfies Partial<AuditResult>;

export const MAX_NAVIGATIONS = 20;

/**
 * What an audit says about its page: succeeded only without a runtime error, with a score for every category, a number
 * for every metric, and a web address at its end. Anything else is a failure with a name.
 */
export const judge = (seen: Observation): AuditResult => {
  const { end, auditVersion: version, chromium, device, cpu } = seen;
  const summary = end.how === 'audited' ? end.summary : undefined;
  const shown = summary?.finalUrl && !isErrorPage(summary) ? summary.finalUrl : seen.mainFrame.url;
  const finalUrl = shown?.slice(0, 500) ?? null;
  const whole = summary && isWhole(summary, seen);
  const common = {
    finalUrl,
    ...seen.blocked,
    warnings: [...blockedWarning(seen), ...(summary ? [...summary.warnings, ...warningsOf(summary, seen)] : [])].slice(
      0,
      50,
    ),
    environment: chromium
      ? {
          auditVersion: version,
          chromium,
          sandbox: seen.sandbox,
          device,
          throttling: summary?.throttling ?? null,
          benchmarkIndex: summary?.benchmarkIndex ?? null,
          ...machine(),
          cpuBusy: cpu && Math.round(cpu.others * 1000) / 1000,
          contended: cpu && (whole ? hasPerformance(seen) && isFalsified(cpu) : wasSlowed(cpu)),
        }
      : null,
    ...(summary && { report: { gzip: summary.report, bytes: summary.reportBytes } }),
  };
  if (whole) return { ...common, state: 'succeeded', metrics: summary.metrics };

  const { code, auditCode = null, detail } = faultOf(seen);
  const error = runError(code, { auditCode, ...(detail && { detail }), ...(finalUrl && { finalUrl }) });
  return { ...common, state: 'failed', error };
};

/** Chromium's own, in the place of a document that it could not have. */
const isErrorPage = ({ finalUrl }: AuditSummary) => /^chrome-error:/.test(finalUrl ?? '');

const isWhole = ({ metrics, runtimeError, finalUrl }: AuditSummary, seen: Observation): boolean =>
  !runtimeError &&
  !(seen.end.how === 'audited' && (seen.end.document === 'unparsable' || isErrorStatus(seen.end.status))) &&
  !isBlank(seen) &&
  !cutOff(seen) &&
  /^https?:/.test(finalUrl ?? '') &&
  categoriesOf(seen.auditVersion, seen).every((asked) => measuredBy[asked].every((name) => metrics[name] !== null));

const isErrorStatus = (status: number | null) => status !== null && status >= 400;
/** Where performance is asked for its metrics tell; elsewhere Lighthouse has scores for a page that shows nothing too. */
const isBlank = (seen: Observation) => !hasPerformance(seen) && !seen.mainFrame.painted;
const hasPerformance = (seen: Observation) => categoriesOf(seen.auditVersion, seen).includes('performance');
/** Part of the page that was cut off in its midst. A connection too many is told by a warning. */
const cutOff = ({ overCap }: Observation) => overCap.find(({ reason }) => reason?.startsWith('bytes'));

/** What each category gives. */
const measuredBy: Record<Category, (keyof Metrics)[]> = {
  performance: ['performance', 'fcp', 'si', 'lcp', 'tti', 'tbt', 'cls'],
  accessibility: ['accessibility'],
  'best-practices': ['bestPractices'],
  pwa: ['pwa'],
  seo: ['seo'],
};

const blockedWarning = ({ blocked, overCap }: Observation): string[] => {
  const { blockedRequestCount: count, blockedRequests } = blocked;
  return [
    ...(count > 0
      ? [`${count} request(s) to addresses that are not audited were refused: ${someHosts(blockedRequests)}.`]
      : []),
    ...(overCap.length > 0 ? [`The page asked for more than the service loads, of ${someHosts(overCap)}.`] : []),
  ];
};
const someHosts = (of: { host: string }[]) => [...new Set(of.map(({ host }) => host))].slice(0, 3).join(', ');

/** What a reader of the numbers should know beyond Lighthouse's own warnings. */
const warningsOf = (
  { erroredAudits, uncheckedRules, screenshotMissing, withoutCharset, withoutMeaningfulPaint }: AuditSummary,
  { lean }: Observation,
): string[] => [
  ...(erroredAudits.length > 0
    ? [`These audits ended in an error: ${erroredAudits.map(({ id }) => id).join(', ')}.`]
    : []),
  ...(uncheckedRules.length > 0
    ? [`This audit version can not check the page for ${uncheckedRules.join(', ')}, which does not count.`]
    : []),
  ...(withoutCharset
    ? ['The document did not end, or is larger than 10 MB: its charset was not audited and does not count.']
    : []),
  ...(withoutMeaningfulPaint
    ? [
        'The browser told of no first meaningful paint: TTI and TBT were taken from the largest contentful paint, as in Lighthouse 12.',
      ]
    : []),
  ...(screenshotMissing ? ['The full-page screenshot could not be taken.'] : []),
  ...(lean
    ? ['The page hung an earlier attempt: this one left out the bf-cache audit and the full-page screenshot.']
    : []),
];

type Fault = { code: RunProblemCode; auditCode?: string | null; detail?: string };

const faultOf = (seen: Observation): Fault => {
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
