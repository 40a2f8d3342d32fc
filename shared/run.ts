import { z } from 'zod';
import { Device } from './audit-options.ts';
import { AuditVersion } from './audit-versions.ts';
import {
  Metrics,
  MetricsView,
  metricsView,
  Sample,
  SampleView,
  Spread,
  SpreadView,
  sampleView,
  spreadView,
} from './page-metrics.ts';
import { pick } from './pick.ts';
import { RunError, RunProblemCode } from './problems.ts';
import { Region } from './regions.ts';

export const RunState = z.enum(['created', 'running', 'succeeded', 'failed']);
export type RunState = z.infer<typeof RunState>;

/** The states that each state may follow. The store turns this into its write conditions. */
export const follows = {
  running: ['created', 'running'], // running twice: an audit was lost, and the run is taken up again
  succeeded: ['running'],
  failed: ['created', 'running'], // created: given up before anyone took it
} as const satisfies Record<Exclude<RunState, 'created'>, readonly RunState[]>;

export const isFinished = (state: RunState): boolean => state === 'succeeded' || state === 'failed';

/** How many times a run is tried in all before a fault of the service fails it. */
export const MAX_ATTEMPTS = 3;

/** One audit of a run. `code` is null for one that gave a sample; `contended` says that others took its processor meanwhile. */
export const Attempt = z.object({
  number: z.int(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  seconds: z.number(),
  code: RunProblemCode.nullable(),
  auditCode: z.string().nullable(),
  contended: z.boolean(),
});
export type Attempt = z.infer<typeof Attempt>;

export const countFailures = (attempts: readonly Attempt[]): number =>
  attempts.filter(({ code }) => code !== null).length;

/**
 * Where and with what a run was measured. Null is not known: the audit ended before it was measured, or the host does not
 * tell.
 */
export const Environment = z.object({
  auditVersion: AuditVersion,
  chromium: z.string(),
  /** Whether Chromium's own sandbox held the page's processes: where the host allows it. */
  sandbox: z.boolean().nullable(),
  device: Device.nullable(),
  /** Lighthouse's `throttlingMethod`. */
  throttling: z.string().nullable(),
  /** Lighthouse's measure of the host's processor: 1,000 and more is a desktop, 150 a slow phone. */
  benchmarkIndex: z.number().nullable(),
  cpuCount: z.int().nullable(),
  memoryMiB: z.int().nullable(),
  /** The operating system's release. */
  kernel: z.string().nullable(),
  /** A fingerprint of processor, memory and kernel: numbers of equal hosts can be compared. */
  host: z.string().nullable(),
  /** The share (0 to 1) of the processors' time that others took during the part of the audit whose timing counts. */
  cpuBusy: z.number().nullable(),
  /** Whether they took it from the audit: its performance may be too low. */
  contended: z.boolean().nullable(),
});
export type Environment = z.infer<typeof Environment>;

/** What a page asked for and was refused: an address or port that is not audited. `reason` names no address of ours. */
export const BlockedRequest = z.object({ host: z.string(), port: z.int(), reason: z.string(), count: z.int() });
export type BlockedRequest = z.infer<typeof BlockedRequest>;

/** One region's audit of a check's URL. An unknown value is null. The store's own fields are in `RunItem`. */
export const Run = z.object({
  id: z.uuid(),
  auditVersion: AuditVersion,
  url: z.string(),
  region: Region,
  device: Device,
  state: RunState,
  ...Metrics.shape,
  samples: z.array(Sample),
  spread: Spread.nullable(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  finishedAt: z.iso.datetime().nullable(),
  finalUrl: z.string().nullable(),
  warnings: z.array(z.string()),
  /** At most 50 targets, the most asked for first; the count is of all requests. */
  blockedRequests: z.array(BlockedRequest),
  blockedRequestCount: z.int(),
  error: RunError.nullable(),
  attempts: z.array(Attempt),
  environment: Environment.nullable(),
});
export type Run = z.infer<typeof Run>;

/** A run as the API shows it. */
export const RunView = z.object({
  ...Run.shape,
  ...MetricsView.shape,
  samples: z.array(SampleView),
  spread: SpreadView.nullable(),
});
export type RunView = z.infer<typeof RunView>;

/** Returns the fields of a stored run that the API shows. A field that `RunView` does not name stays private. */
export const runView = (run: Run): RunView => ({
  ...pick(run, RunView.keyof().options),
  ...metricsView(run),
  samples: run.samples.map(sampleView),
  spread: run.spread && spreadView(run.spread),
});
