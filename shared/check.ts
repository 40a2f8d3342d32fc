import { z } from 'zod';
import { FieldData } from './field-data-schemas.ts';
import { AuditVersion, Region } from './name-schemas.ts';
import { optionNames } from './options/audit-options.ts';
import { SentOptions, ShownOptions } from './options/audit-options-schemas.ts';
import { MAX_PAIRS } from './options/variants.ts';
import { pick } from './pick.ts';
import { ELSEWHERE } from './regions.ts';
import { newRun, Run, type RunState, RunView, runView } from './run.ts';
import { checkStates, isFinished } from './states.ts';
import { latest } from './times.ts';

export const CheckState = z.enum(checkStates).meta({
  id: 'CheckState',
  description:
    'State of a check. `succeeded`, `partial` and `failed` are final: all runs are finished. `partial` means that some but not all succeeded.',
  'x-final': checkStates.filter(isFinished),
});
export type CheckState = z.infer<typeof CheckState>;

/** One URL tested in one or more regions, with its runs in the order of `regions`. */
export const Check = z.object({
  id: z.uuid(),
  auditVersion: AuditVersion,
  url: z.string().describe('The URL, exactly as it was sent.'),
  regions: z.array(Region),
  ...ShownOptions.shape,
  scheduleId: z.uuid().nullable().describe('The schedule that created the check. Null for any other check.'),
  fieldData: FieldData.nullable().describe(
    'Null if this deployment reads no field data, or did not when the check was created.',
  ),
  createdAt: z.iso.datetime(),
  runs: z.array(Run),
});
export type Check = z.infer<typeof Check>;

/** A check as the API shows it. Its state and the time of its last change are derived from its runs. */
export const CheckView = z
  .object({
    ...Check.shape,
    source: z
      .enum(['audited', 'uploaded'])
      .describe('`uploaded`: the report was made elsewhere, and the service measured nothing itself.'),
    state: CheckState,
    assertionsPassed: z
      .boolean()
      .nullable()
      .describe(
        'False if an assertion of level `error` failed in a run. Null without assertions, until all runs are finished, if a run failed before its assertions, if no assertion is about the page, and if one of level `error` was not judged.',
      ),
    updatedAt: z.iso.datetime().describe('Time of the last change that a client can see.'),
    runs: z.array(RunView).describe('One run per region, in the order of `regions`.'),
    links: z
      .object({ self: z.string(), comparison: z.string(), page: z.string() })
      .describe('Relative URLs. `page` is for people.'),
  })
  .meta({ id: 'Check', description: 'One URL tested in one or more regions.' });
export type CheckView = z.infer<typeof CheckView>;

/** Inputs of a create after validation: the URL as sent, the exact audit version, and each region once. */
export type CheckInputs = Pick<Check, 'url' | 'auditVersion' | 'regions' | keyof z.infer<typeof SentOptions>>;

export const MAX_BODY_BYTES = 128 * 1024;

/** Body of a create. The function also judges the values of the URL, the version and the regions. */
export const CreateCheckBody = z.strictObject({
  url: z.string(),
  auditVersion: z.string(),
  regions: z.array(z.string()).min(1),
  ...SentOptions.shape,
});
export type CreateCheckBody = z.infer<typeof CreateCheckBody>;

/**
 * Returns the number of audits that the limits count for a check. Each variant counts. Retries and retakes of an audit don't
 * count. Automatic samples count as the most, until the check ends.
 */
export const countAudits = ({ regions, samples = 1, against }: Pick<CheckInputs, 'regions' | 'samples' | 'against'>) =>
  regions.length * (samples === 'auto' ? MAX_PAIRS : samples) * (against ? 2 : 1);

/** Returns the number of audits that a check with automatic samples has used, when all its runs are finished. */
export const countUsed = (runs: readonly Pick<Run, 'samples' | 'against' | 'attempts'>[]): number =>
  runs
    .map(({ samples, against, attempts }) => samples.length + (against?.samples.length ?? 0) || attempts.length) // a failed run has no samples
    .reduce((sum, used) => sum + Math.min(used, 2 * MAX_PAIRS), 0);

type NewCheck = {
  id: string;
  runIds: readonly string[];
  now: Date;
  scheduleId?: string | null | undefined;
  fieldData?: FieldData | undefined;
};

export const newCheck = (inputs: CheckInputs, { id, runIds, now, scheduleId = null, fieldData }: NewCheck): Check => {
  const at = now.toISOString();
  const runs = inputs.regions.map((region, i) => newRun(inputs, region, runIds[i] as string, at));
  return { id, ...inputs, scheduleId, fieldData: fieldData ?? null, createdAt: at, runs };
};

/** Returns the state of a check. `partial` means that all runs are finished, and some but not all succeeded. */
export const stateOf = (states: readonly RunState[]): CheckState => {
  if (states.every((state) => state === 'created')) return 'created';
  if (!states.every(isFinished)) return 'running';
  if (states.every((state) => state === 'succeeded')) return 'succeeded';
  return states.every((state) => state === 'failed') ? 'failed' : 'partial';
};

/**
 * Returns false if an assertion of level `error` failed in a run. Returns null if the check has no assertions, if a run is
 * unfinished, or if nobody knows: a run has no results, no assertion is about the page, or one was not judged.
 */
export const assertionsPassed = ({
  assertions,
  runs,
}: Pick<Check, 'assertions'> & { runs: readonly Pick<Run, 'state' | 'assertions'>[] }): boolean | null => {
  if (!assertions || !runs.every(({ state }) => isFinished(state))) return null;
  const gates = runs.flatMap((run) => run.assertions ?? []).filter(({ level }) => level === 'error');
  if (gates.some(({ passed }) => passed === false)) return false;
  const isJudged = runs.every((run) => run.assertions !== null) && runs.some((run) => run.assertions?.length);
  return isJudged && gates.every(({ passed }) => passed) ? true : null;
};

/** Returns who made the reports of a check. */
export const sourceOf = ({ regions }: { regions: readonly Region[] }): CheckView['source'] =>
  regions.includes(ELSEWHERE) ? 'uploaded' : 'audited';

/** Returns the fields of a stored check that the API shows. */
export const checkView = (check: Check): CheckView => ({
  ...pick(check, inputFields),
  source: sourceOf(check),
  state: stateOf(check.runs.map((run) => run.state)),
  assertionsPassed: assertionsPassed(check),
  scheduleId: check.scheduleId,
  fieldData: check.fieldData,
  createdAt: check.createdAt,
  updatedAt: latest(check.createdAt, check.fieldData?.at, ...check.runs.map((run) => run.updatedAt)),
  runs: check.runs.map((run) => runView({ ...run, checkId: check.id, regionCount: check.runs.length })),
  links: linksOfCheck(check.id),
});

export const linksOfCheck = (id: string): CheckView['links'] => ({
  self: `/v1/checks/${id}`,
  comparison: `/v1/checks/${id}/comparison`,
  page: `/checks/${id}`,
});

/** Returns the answer to a create: the inputs, and the fields of each run that a client needs to follow it. */
export const asCreated = (check: Check) => ({
  ...pick(check, inputFields),
  runs: check.runs.map((run) => pick(run, ['id', 'region', 'state'])),
});

/** Fields that every view of a check has. */
export const inputFields = ['id', 'auditVersion', 'url', 'regions', ...optionNames] as const;
