import type { AuditVersion } from '../../shared/audit-versions.ts';
import type { Metrics } from '../../shared/metrics/page-metrics-schemas.ts';
import { type Category, categoriesOf, isSteady } from '../../shared/options/audit-options.ts';
import type { AuditOptions } from '../../shared/options/audit-options-schemas.ts';
import type { Secrets } from '../../shared/options/secrets.ts';
import type { ThrottlingValues } from '../../shared/options/throttling.ts';
import type { RunProblemCode } from '../../shared/problems.ts';
import type { MainThreadCpu, Waits } from './cpu-waits.ts';
import type { InteractionMessage } from './interactions/messages.ts';
import type { KeptFiles } from './kept-files.ts';
import type { SampleParts } from './parts.ts';

/** One audit of a page. The auditor's parent passes the order to Lighthouse as it received it. */
export type AuditOrder = {
  url: string;
  auditVersion: AuditVersion;
  options: AuditOptions;
  /** Skips the second visit (bf-cache) and the full-page screenshot. Both follow the timed part and can hang. */
  skipOptionalParts: boolean;
  /** Audits only what has noise. An earlier sample of the run has the rest. */
  timedOnly?: boolean | undefined;
  /** Another release that judges the same load. */
  alsoBy?: AuditVersion | undefined;
  /** Headers and credentials go to the origin of `url` only. The parent sends them over IPC, never in arguments or variables. */
  secrets?: Secrets | undefined;
};

/** Audits that follow the timed part and can hang. */
export const optionalAudits: readonly string[] = ['bf-cache', 'full-page-screenshot'];

/** Returns true if the audit has a timed part, because it measures performance. */
export const isTimed = ({ auditVersion, options }: Pick<AuditOrder, 'auditVersion' | 'options'>): boolean =>
  categoriesOf(auditVersion, options).includes('performance');

/** Returns the categories that the audit of an order measures. */
export const categoriesOfOrder = ({ auditVersion, options, timedOnly }: Omit<AuditOrder, 'url'>): Category[] =>
  categoriesOf(auditVersion, options).filter((category) => !timedOnly || !isSteady(category));

/** Lighthouse's CPU benchmark of the host, and the time of its measurement. */
export type Benchmark = { index: number; measuredAt: string };

/** Message that lets an idle auditor start its browser. The browser has a blank page until the audit. */
export type StartBrowser = { ahead: LaunchSettings };
/** Message that lets an idle auditor measure the benchmark in that browser. The auditor answers and stays idle. */
export type StartBenchmark = { measure: 'benchmark' };
export type Benchmarked = { type: 'benchmarked'; benchmark: Benchmark };
/** The parent's message that starts the audit. An auditor measures the benchmark itself if it receives none. */
export type StartAudit = { order: AuditOrder; launch: LaunchSettings; benchmark: Benchmark | null };
/** The message that lets a timed audit use the CPU. An earlier audit may have measured the benchmark meanwhile. */
export type StartSignal = { benchmark: Benchmark | null };
/** The parent's answer to `measured` in a timed audit, and to `interacted`. */
export type MeasuredAnswer = { waits: Waits };

/** Messages from the parent to the auditor. */
export type ParentMessage = StartBrowser | StartBenchmark | StartAudit | StartSignal | MeasuredAnswer;

/** Messages from the auditor to its parent, in this order. The auditor sends `mainFrame` at each change of the record. */
export type AuditorMessage =
  | { type: 'ready' }
  | { type: 'browser'; version: string; sandbox: boolean }
  | { type: 'waiting' } // for the start signal, in a timed audit and before each interaction
  | { type: 'mainFrame'; record: MainFrame }
  | { type: 'measured'; benchmark?: Benchmark } // the timed part is over. Has the benchmark if the audit measured it
  | { type: 'frozen'; part: FrozenPart }
  | ({ type: 'pulse' } & Pulse) // after `measured`, every few seconds while nothing seems to happen
  | ({ type: 'audited' } & Audited)
  | InteractionMessage<Audited>
  | { type: 'failed'; code: string | null; message: string; browserAlive: boolean; pageAnswers: boolean | null };

/** An audit that Lighthouse ended by itself. */
export type Audited = {
  summary: AuditSummary;
  /** Summary by the other release of the order. Missing if it could not judge the load, or too late. */
  also?: AuditSummary;
  pageAnswers: boolean | null;
  document: DocumentState;
  status: number | null;
  /** Missing if the order has no secrets. */
  login?: UnusedSecrets & { asksForPassword: boolean };
};

/** Names of the secrets that a browser does not have, although the order has them. */
export type UnusedSecrets = {
  refusedCookies: string[];
  expiredCookies: string[];
  /** Databases of IndexedDB. */
  refusedDatabases: string[];
};

/**
 * A part of an audit that does not respond and uses no CPU, so that nothing hangs in it. Something else has stopped it. A
 * page may also wait for a server, for example in a synchronous request.
 */
export type FrozenPart = 'browser' | 'page';

/** State of an audit in which the browser has answered nothing to Lighthouse for some time. */
export type Pulse = {
  /** Time since the last answer, or since the end of the timed part. */
  silentMs: number;
  /** True if Lighthouse waits for the answer to a command. */
  isAsked: boolean;
  /** True if the page runs a script that tests it. */
  answers: boolean;
  /** Time since the previous look at the CPU times. */
  windowMs: number;
  /** Time that the browser's threads ran, or waited for a CPU, meanwhile. Null if the machine hides them. */
  browserMs: number | null;
  auditorMs: number;
  /** True if Lighthouse runs a script in the page that may take long. */
  isLongTask: boolean;
};

/** Settings with which the auditor starts Chromium. */
export type LaunchSettings = HostSettings & {
  proxyPort: number;
  /** Port for Lighthouse versions that control the browser through a port. The others use a pipe. */
  debuggingPort?: number | undefined;
};

/** The settings that no audit changes, so that a browser can start before its order. */
export type HostSettings = {
  executable: string;
  /** The complete environment of the browser. It holds no credentials, because the browser runs hostile pages. */
  env: Record<string, string>;
  /** Folder of an NSS database with the authorities that the browser trusts in addition to its own. */
  trustStore?: string | undefined;
  /** `required` after an audit in the sandbox on this host, so that a failed start never leads to an audit without it. */
  sandbox: 'optional' | 'required' | 'none';
};

/** State of the document after measuring. `gone`: the page removed its own body. */
export type DocumentState = 'shown' | 'unparsable' | 'gone';

/** Lighthouse's error for the whole audit. `artifactKey` names the artifact that it gathered, from version 12 on. */
export type RuntimeError = { code: string; message: string; artifactKey?: string };

/** The parts of a Lighthouse result that the service reads, and the gzipped result itself. */
export type AuditSummary = SampleParts & {
  metrics: Metrics;
  runtimeError: RuntimeError | null;
  finalUrl: string | null;
  warnings: string[];
  benchmarkIndex: number | null;
  benchmarkedAt: string;
  /** Missing if performance was not measured. */
  mainThread?: MainThreadCpu;
  throttling: string;
  /** Null if Lighthouse simulated nothing. */
  throttlingValues: ThrottlingValues | null;
  /** Audits that failed. The steady ones have no noise, so that only the first sample of a run has them. */
  erroredAudits: { id: string; message: string; isSteady?: boolean }[];
  /** True if the full-page screenshot is missing although the audit did not skip it. */
  screenshotMissing: boolean;
  /** True if the charset audit is missing because it failed. */
  withoutCharset: boolean;
  /** Accessibility rules that axe-core could not check on this page, for example because of a new colour syntax. */
  uncheckedRules: string[];
  /** True if Chromium reported no first meaningful paint, so that TTI and TBT are based on a substitute. */
  withoutMeaningfulPaint: boolean;
  report: Buffer;
  reportBytes: number;
  /** Missing if the order asks for none. */
  artifacts?: KeptFiles;
};

/**
 * State of the main frame according to the browser's events. Lighthouse's error codes are too coarse, and sometimes wrong.
 * Unless stated otherwise, fields describe the most recent main document request.
 */
export type MainFrame = {
  url: string | null;
  status: number | null;
  mimeType: string | null;
  attachment: boolean;
  /** Chromium's network error, without the prefix `net::`. */
  failure: string | null;
  finished: boolean;
  /** True if the document ended without a byte and without a `Refresh` header. The page will never show anything. */
  empty: boolean;
  /** True if any main document was complete. */
  everFinished: boolean;
  /** True if the shown document has fired its load event. */
  loaded: boolean;
  /** True if the shown document has painted text, an image or a drawing. */
  painted: boolean;
  /** True if the Content-Security-Policy of the shown document blocks all scripts, also those of Lighthouse. */
  scriptless: boolean;
  /** Number of documents that the main frame has shown. Navigations within a document do not count. */
  navigations: number;
  /** True if the document is so large that its size, not its server, may be the reason why it is incomplete. */
  large: boolean;
  /** True if the page leaves a document that can be measured if the newer one never comes. */
  standsAlone: boolean;
  /** The limit that the page has exceeded. */
  tooMuch: 'bytes' | 'frames' | 'nested frames' | 'dialogs' | null;
  crashed: boolean;
  /** Documents that the page left by itself before the end of the timed part, at most the newest five. */
  left?: readonly { url: string; status: number | null; to: string }[];
  /** A navigation that the page tried afterwards. The service stopped it. */
  held?: { url: string; to: string };
  /** Address to which the page went afterwards, although the service holds pages. */
  escapedTo?: string;
};

/** Values of the fields that a new main document request resets. */
export const newDocument = {
  status: null,
  mimeType: null,
  attachment: false,
  failure: null,
  finished: false,
  empty: false,
  large: false,
  standsAlone: false,
} satisfies Partial<MainFrame>;

export const emptyMainFrame: MainFrame = {
  ...newDocument,
  url: null,
  everFinished: false,
  loaded: false,
  painted: false,
  scriptless: false,
  navigations: 0,
  tooMuch: null,
  crashed: false,
};

/** CPU use of the machine during a period. */
export type CpuUse = {
  /** Share (0 to 1) of the CPU time that processes outside the service used. */
  others: number;
  /** Share (0 to 1) of the busy CPU time that the hypervisor stole. */
  stolen: number;
};

export type Outcome = 'allowed' | 'refused' | 'dns-failure' | 'unreachable' | 'over-cap';

/** Connections to one host and port with the same outcome. The first was at `since` and the last at `at` (times of `performance.now`). */
export type Decision = {
  host: string;
  port: number;
  outcome: Outcome;
  reason?: string;
  count: number;
  since: number;
  at: number;
};

/** How an audit ended, as the parent observed it. */
export type AuditEnd =
  | ({ how: 'audited' } & Audited)
  | { how: 'failed'; code: string | null; message: string; browserAlive: boolean; pageAnswers: boolean | null }
  | { how: 'stopped'; why: RunProblemCode | 'main-document-failed' | 'page-stalled'; detail?: string } // by a stop rule of the parent
  | { how: 'exited' }; // the auditor exited without a result
