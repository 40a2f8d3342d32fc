import { z } from 'zod';
import { AuditVersion } from './audit-versions.ts';
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

const Score = z.int().min(0).max(100).nullable();
const Milliseconds = z
  .string()
  .regex(/^\d+ms$/)
  .nullable();

/**
 * What an audit measured. Scores are 0 to 100, times are `"<integer>ms"`, `cls` is Lighthouse's unitless number.
 * Null is not known; `pwa` stays null in audit versions from 12 on, which have none.
 */
export const Metrics = z.object({
  performance: Score,
  accessibility: Score,
  bestPractices: Score,
  pwa: Score,
  seo: Score,
  fcp: Milliseconds,
  si: Milliseconds,
  lcp: Milliseconds,
  tti: Milliseconds,
  tbt: Milliseconds,
  cls: z.number().min(0).nullable(),
});
export type Metrics = z.infer<typeof Metrics>;

export const noMetrics: Metrics = {
  performance: null,
  accessibility: null,
  bestPractices: null,
  pwa: null,
  seo: null,
  fcp: null,
  si: null,
  lcp: null,
  tti: null,
  tbt: null,
  cls: null,
};

/** One try of a run. `code` is null for the try that ended with an answer about the page. */
export const Attempt = z.object({
  number: z.int(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  seconds: z.number(),
  code: RunProblemCode.nullable(),
  auditCode: z.string().nullable(),
});
export type Attempt = z.infer<typeof Attempt>;

/** Where and with what a run was measured. `processModel` says how Chromium ran: `single` falsifies performance. */
export const Environment = z.object({
  auditVersion: AuditVersion,
  chromium: z.string(),
  processModel: z.enum(['multi', 'single']),
  benchmarkIndex: z.number().nullable(),
});
export type Environment = z.infer<typeof Environment>;

/** One region's audit of a check's URL, as the API shows it. Every field is always there; null is not known yet. */
export const Run = z.object({
  id: z.uuid(),
  auditVersion: AuditVersion,
  url: z.string(),
  region: Region,
  state: RunState,
  ...Metrics.shape,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  finishedAt: z.iso.datetime().nullable(),
  finalUrl: z.string().nullable(),
  warnings: z.array(z.string()),
  error: RunError.nullable(),
  attempts: z.array(Attempt),
  environment: Environment.nullable(),
});
export type Run = z.infer<typeof Run>;
