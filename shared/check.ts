import { z } from 'zod';
import { AuditOptions, Category, Device, MAX_SAMPLES } from './audit-options.ts';
import { AuditVersion } from './audit-versions.ts';
import { noMetrics } from './page-metrics.ts';
import { Region } from './regions.ts';
import { isFinished, Run, type RunState } from './run.ts';

export const CheckState = z.enum(['created', 'running', 'succeeded', 'partial', 'failed']);
export type CheckState = z.infer<typeof CheckState>;

/** The optional inputs of a create, as the client sent them. */
const SentOptions = z.object({
  device: Device.optional(),
  samples: z.int().min(1).max(MAX_SAMPLES).optional(),
  categories: z.array(Category).min(1, 'at least one category is needed').optional(),
});

/** One URL tested in one or more regions, with its complete runs in the order of `regions`. */
export const Check = z.object({
  id: z.uuid(),
  auditVersion: AuditVersion,
  url: z.string(),
  regions: z.array(Region),
  ...SentOptions.shape,
  state: CheckState,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  runs: z.array(Run),
});
export type Check = z.infer<typeof Check>;

/** What a client asks for, resolved: the URL as sent, the exact version, each region once. */
export type CheckInputs = Pick<Check, 'url' | 'auditVersion' | 'regions' | keyof z.infer<typeof SentOptions>>;

export const MAX_BODY_BYTES = 64 * 1024;

/** The shape of a create's body. What its values mean (version, regions, URL) is judged by the function. */
export const CreateCheckBody = z.strictObject({
  url: z.string(),
  auditVersion: z.string(),
  regions: z.array(z.string()).min(1, 'at least one region is needed'),
  ...SentOptions.shape,
});
export type CreateCheckBody = z.infer<typeof CreateCheckBody>;

export const newCheck = (
  inputs: CheckInputs,
  { id, runIds, now }: { id: string; runIds: readonly string[]; now: Date },
): Check => {
  const at = now.toISOString();
  const runs = inputs.regions.map((region, i) => newRun(inputs, region, runIds[i] as string, at));
  return { id, ...inputs, state: 'created', createdAt: at, updatedAt: at, runs };
};

const newRun = ({ url, auditVersion, device }: CheckInputs, region: Region, id: string, at: string): Run => ({
  id,
  auditVersion,
  url,
  region,
  device: AuditOptions.parse({ device }).device,
  state: 'created',
  ...noMetrics,
  samples: [],
  spread: null,
  createdAt: at,
  updatedAt: at,
  startedAt: null,
  finishedAt: null,
  finalUrl: null,
  warnings: [],
  blockedRequests: [],
  blockedRequestCount: 0,
  error: null,
  attempts: [],
  environment: null,
});

/** The state of a check from those of its runs. `partial`: all are finished, and some, not all, have an answer. */
export const stateOf = (states: readonly RunState[]): CheckState => {
  if (states.every((state) => state === 'created')) return 'created';
  if (!states.every(isFinished)) return 'running';
  if (states.every((state) => state === 'succeeded')) return 'succeeded';
  return states.every((state) => state === 'failed') ? 'failed' : 'partial';
};

/** The optional inputs that were sent, and no others. */
export const sentOptions = ({ device, samples, categories }: z.infer<typeof SentOptions>) => ({
  ...(device && { device }),
  ...(samples && { samples }),
  ...(categories && { categories }),
});

/** The answer to a create: the check as asked for, and of each run what a client needs to follow it. */
export const asCreated = ({ id, auditVersion, url, regions, device, samples, categories, runs }: Check) => ({
  id,
  auditVersion,
  url,
  regions,
  ...sentOptions({ device, samples, categories }),
  runs: runs.map(({ id, region, state }) => ({ id, region, state })),
});
