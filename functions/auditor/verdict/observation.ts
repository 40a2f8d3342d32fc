import type { Environment } from '../../../shared/environment.ts';
import { patternMatching } from '../../../shared/options/blocked-urls.ts';
import type { Run } from '../../../shared/run.ts';
import {
  type AuditEnd,
  type AuditOrder,
  type AuditSummary,
  type CpuUse,
  type Decision,
  type FrozenPart,
  isTimed,
  type MainFrame,
} from '../messages.ts';

/** Everything that the service observed of one audit. */
export type Observation = {
  order: Omit<AuditOrder, 'url' | 'secrets'>;
  /** URL of the order if it has secrets. */
  sentSecretsTo?: string | undefined;
  end: AuditEnd;
  mainFrame: MainFrame;
  chromium: string | null;
  /** True if Chromium ran its renderers in its sandbox. */
  sandbox: boolean | null;
  /** Fingerprint of the fonts that Chromium sees. */
  fonts: string;
  machine: Pick<Environment, 'cpuCount' | 'memoryMiB' | 'kernel' | 'host'>;
  /** CPU use during the timed part. Null if the host does not report it. */
  cpu: CpuUse | null;
  /** Share (0 to 1) of the audit's time in which it wanted to run, but had no CPU. */
  starvedShare: number;
  /** Resource that the machine was short of during the audit, and how much of it was left. */
  shortage: string | undefined;
  /** Longest time in which the service stood still, in milliseconds. */
  stoodStillMs: number;
  /** Longest time in which other work of the service held the page's proxy in the timed part, in milliseconds. */
  proxyHeldMs: number;
  /** The part that was frozen at any time. */
  frozen: FrozenPart | null;
  /** Requests that the egress proxy refused by its policy. */
  blocked: Pick<Run, 'blockedRequests' | 'blockedRequestCount'>;
  /** Connections that exceeded a limit of the egress proxy before the end of the timed part. */
  overCap: Pick<Decision, 'host' | 'reason'>[];
  /** Returns the egress proxy's newest decision about a host and port. */
  decisionOn: (host: string, port: number) => Pick<Decision, 'outcome' | 'reason'> | undefined;
};

export type Target = Pick<Decision, 'host' | 'port'>;

/** Returns a host and port as text. An IPv6 address has brackets, as in a URL. */
export const targetText = ({ host, port }: Target): string =>
  `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;

/** Returns true if Chromium shows its own error page instead of the document. */
export const isErrorPage = ({ finalUrl }: AuditSummary) => /^chrome-error:/.test(finalUrl ?? '');

export const isErrorStatus = (status: number | null) => status !== null && status >= 400;

/** Returns true if the page painted nothing in an audit without performance. Lighthouse would still score the page. */
export const isBlank = (observation: Observation) => !hasPerformance(observation) && !observation.mainFrame.painted;

export const hasPerformance = ({ order }: Observation) => isTimed(order);

/**
 * Returns the pattern of the check that matches the document, or undefined. Chromium itself blocks no documents. A download
 * that a visible page starts is not its document.
 */
export const patternOfDocument = ({ order, mainFrame }: Observation): string | undefined => {
  const { url, failure, navigations } = mainFrame;
  return url && !(failure && navigations > 0)
    ? patternMatching(url, order.options.blockedUrlPatterns ?? [])
    : undefined;
};

/** Finds a response that exceeded a byte limit. Exceeding the number of connections only causes a warning. */
export const exceededByteLimit = ({ overCap }: Observation) =>
  overCap.find(({ reason }) => reason?.startsWith('bytes'));
