import { type AuditOptions, categoriesOf } from '../../shared/audit-options.ts';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import type { Metrics } from '../../shared/page-metrics.ts';
import type { RunProblemCode } from '../../shared/problems.ts';

export type AuditPlan = Pick<AuditOptions, 'device' | 'categories'> & {
  url: string;
  version: AuditVersion;
  /** Without what comes after the timed part and can hang on a page: the second visit (bf-cache), the full-page screenshot. */
  skipOptionalParts: boolean;
};

/** Whether the audit has a part whose timing counts. */
export const isTimed = ({ version, categories }: Pick<AuditPlan, 'version' | 'categories'>): boolean =>
  categoriesOf(version, { categories }).includes('performance');

/** What the parent sends once: the audit to do. For one that is timed it sends `START_SIGNAL` too, when the processor is free. */
export type AuditorOrder = AuditPlan & LaunchOrder;
export const START_SIGNAL = 'start';

/** What the auditor tells its parent, in this order; `mainFrame` as often as it changes. */
export type AuditorMessage =
  | { type: 'ready' }
  | { type: 'browser'; version: string; sandbox: boolean }
  | { type: 'waiting' } // for START_SIGNAL; only where the audit is timed
  | { type: 'mainFrame'; record: MainFrame }
  | { type: 'measured'; cpu: CpuUse | null } // the part is over whose timing counts
  | {
      type: 'audited';
      summary: AuditSummary;
      pageAnswers: boolean | null;
      document: DocumentState;
      status: number | null;
    }
  | { type: 'failed'; code: string | null; message: string; browserAlive: boolean; pageAnswers: boolean | null };

/** How the child starts Chromium. */
export type LaunchOrder = {
  executable: string;
  proxyPort: number;
  /** Named one by one: nothing of ours, least of all credentials, reaches a browser that runs hostile pages. */
  env: Record<string, string>;
  /** Whether to try for one; `required` where this host has given one before, so that none is left without by a mishap. */
  sandbox: 'tried' | 'required' | 'none';
};

export type DocumentState = 'shown' | 'unparsable' | 'gone';

/** What ended an audit. `artifactKey` is what was being gathered; versions before 12 do not tell. */
export type RuntimeError = { code: string; message: string; artifactKey?: string };

/** What the service takes from a Lighthouse result, and the result itself, gzipped. */
export type AuditSummary = {
  metrics: Metrics;
  runtimeError: RuntimeError | null;
  finalUrl: string | null;
  warnings: string[];
  benchmarkIndex: number | null;
  throttling: string;
  erroredAudits: { id: string; message: string }[];
  /** Whether it lacks the full-page screenshot that it should have. */
  screenshotMissing: boolean;
  /** Whether it lacks the charset audit, which could not be made. */
  withoutCharset: boolean;
  /** Accessibility checks that axe-core could not do on this page, as with colours that are newer than it is. */
  uncheckedRules: string[];
  /** Whether its TTI and TBT are from a first meaningful paint that Chromium did not tell of. */
  withoutMeaningfulPaint: boolean;
  report: Buffer;
  reportBytes: number;
};

/**
 * What became of the main frame, by the browser's own events: Lighthouse's codes are too coarse, and sometimes false.
 * What has no other word speaks of the newest main document that was asked for.
 */
export type MainFrame = {
  url: string | null;
  status: number | null;
  mimeType: string | null;
  attachment: boolean;
  /** `net::` name of its failure. */
  failure: string | null;
  finished: boolean;
  /** Whether it ended without a byte, and leads nowhere: nothing will ever be shown. */
  empty: boolean;
  /** Whether any main document arrived whole. */
  everFinished: boolean;
  /** Whether the document that it shows has all that it waited for: its load event came. */
  loaded: boolean;
  /** Whether the document that it shows has painted anything: text, an image, a drawing. */
  painted: boolean;
  /** Whether the policy of the document that it shows lets no script run, and so none of Lighthouse's. */
  scriptless: boolean;
  /** Documents that the main frame has shown; moves within a document do not count. */
  navigations: number;
  /** Whether it is so large that its size, and not its server, may be why it has not arrived whole. */
  large: boolean;
  /** What the page has too much of. */
  tooMuch: 'bytes' | 'frames' | 'nested frames' | 'dialogs' | null;
  crashed: boolean;
};

export const newDocument = {
  status: null,
  mimeType: null,
  attachment: false,
  failure: null,
  finished: false,
  empty: false,
  large: false,
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

/**
 * How busy the machine was during a span. `others`: share (0 to 1) of its processors' time that went to processes outside
 * the group, or was taken by a hypervisor. `waited`: time that the group's threads were ready to run and did not, to the
 * time that they ran; at most what others had meanwhile, as the rest waited for their like. `stolen`: share (0 to 1) of the
 * time in which anyone's threads were on a processor that a hypervisor took from them, which no thread is told of. Null where
 * the system does not tell.
 */
export type CpuUse = { others: number; waited: number; stolen: number };

export type Outcome = 'allowed' | 'refused' | 'dns-failure' | 'unreachable' | 'over-cap';

/**
 * What became of the connections to one host and port that ended alike: `count` of them, the first `since`, the newest `at`
 * (epoch ms).
 */
export type Decision = {
  host: string;
  port: number;
  outcome: Outcome;
  reason?: string;
  count: number;
  since: number;
  at: number;
};

/** How an auditor ended, as its parent saw it. */
export type AuditEnd =
  | {
      how: 'audited';
      summary: AuditSummary;
      pageAnswers: boolean | null;
      document: DocumentState;
      status: number | null;
    }
  | { how: 'failed'; code: string | null; message: string; browserAlive: boolean; pageAnswers: boolean | null }
  | { how: 'stopped'; why: RunProblemCode | 'main-document-failed'; detail?: string } // by the parent: no answer would come
  | { how: 'exited' };
