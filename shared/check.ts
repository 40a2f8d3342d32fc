import { z } from 'zod';
import { AuditVersion } from './audit-versions.ts';
import { Region } from './regions.ts';
import { isFinished, noMetrics, Run, type RunState } from './run.ts';

export const CheckState = z.enum(['created', 'running', 'succeeded', 'partial', 'failed']);
export type CheckState = z.infer<typeof CheckState>;

/** One URL tested in one or more regions, with its complete runs in the order of `regions`. */
export const Check = z.object({
  id: z.uuid(),
  auditVersion: AuditVersion,
  url: z.string(),
  regions: z.array(Region),
  state: CheckState,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  runs: z.array(Run),
});
export type Check = z.infer<typeof Check>;

/** What a client asks for, resolved: the URL as sent, the exact version, each region once. */
export type CheckInputs = Pick<Check, 'url' | 'auditVersion' | 'regions'>;

export const MAX_BODY_BYTES = 64 * 1024;

/** The shape of a create's body. What its values mean (version, regions, URL) is judged by the function. */
export const CreateCheckBody = z.strictObject({
  url: z.string(),
  auditVersion: z.string(),
  regions: z.array(z.string()).min(1, 'at least one region is needed'),
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

const newRun = ({ url, auditVersion }: CheckInputs, region: Region, id: string, at: string): Run => ({
  id,
  auditVersion,
  url,
  region,
  state: 'created',
  ...noMetrics,
  createdAt: at,
  updatedAt: at,
  startedAt: null,
  finishedAt: null,
  finalUrl: null,
  warnings: [],
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

/** The answer to a create: the check as asked for, and of each run what a client needs to follow it. */
export const asCreated = ({ id, auditVersion, url, regions, runs }: Check) => ({
  id,
  auditVersion,
  url,
  regions,
  runs: runs.map(({ id, region, state }) => ({ id, region, state })),
});
