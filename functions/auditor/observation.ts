import { type AuditOptions, categoriesOf } from '../../shared/audit-options.ts';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import type { Environment, Run } from '../../shared/run.ts';
import type { AuditEnd, AuditSummary, Decision, MainFrame } from './messages.ts';

export type Observation = {
  auditVersion: AuditVersion;
  device: AuditOptions['device'];
  categories?: AuditOptions['categories'];
  skipOptionalParts: boolean;
  end: AuditEnd;
  mainFrame: MainFrame;
  chromium: string | null;
  /** Whether Chromium's own sandbox held its renderers. */
  sandbox: boolean | null;
  machine: Pick<Environment, 'cpuCount' | 'memoryMiB' | 'kernel' | 'host'>;
  /** CPU contention during the timed part. Null if the host does not report CPU use. */
  cpu: {
    /** Share (0 to 1) of the CPU time that other processes used. */
    others: number;
    /** True if the audit waited for CPU time that other processes used. */
    wasSlowed: boolean;
    /** True if contention may have changed the measured times. */
    isFalsified: boolean;
  } | null;
  /** What the egress proxy refused. */
  blocked: Pick<Run, 'blockedRequests' | 'blockedRequestCount'>;
  /** What the egress proxy cut off or refused while the page was measured, as it was too much. */
  overCap: Pick<Decision, 'host' | 'reason'>[];
  /** The egress proxy's newest word on a host and port. */
  decisionOn: (host: string, port: number) => Pick<Decision, 'outcome' | 'reason'> | undefined;
};

/** Chromium's own, in the place of a document that it could not have. */
export const isErrorPage = ({ finalUrl }: AuditSummary) => /^chrome-error:/.test(finalUrl ?? '');

export const isErrorStatus = (status: number | null) => status !== null && status >= 400;
/** Where performance is asked for its metrics tell; elsewhere Lighthouse has scores for a page that shows nothing too. */
export const isBlank = (observation: Observation) => !hasPerformance(observation) && !observation.mainFrame.painted;
export const hasPerformance = (observation: Observation) =>
  categoriesOf(observation.auditVersion, observation).includes('performance');
/** Part of the page that was cut off in its midst. A connection too many is told by a warning. */
export const exceededByteLimit = ({ overCap }: Observation) =>
  overCap.find(({ reason }) => reason?.startsWith('bytes'));
