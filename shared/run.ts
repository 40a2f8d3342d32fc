import { z } from 'zod';
import { AssertionResult } from './assertions/assertions.ts';
import { RunChange } from './comparison/schemas.ts';
import { changesOfRun } from './comparison/variants.ts';
import { Measured, MeasuredVariant, measuredView, measuredViewOf, unmeasured } from './measured.ts';
import { valueNames } from './metrics/page-metrics.ts';
import { NumericValues } from './metrics/page-metrics-schemas.ts';
import { AuditVersion, Device, Region, VariantName } from './name-schemas.ts';
import { options } from './options/audit-options.ts';
import type { StoredAgainst } from './options/audit-options-schemas.ts';
import { SimulatedRun, SimulatedRunView, simulatedView } from './options/simulations-schemas.ts';
import { MAX_PAIRS, variants } from './options/variants.ts';
import { pick } from './pick.ts';
import { RunError, RunProblemCode } from './problems.ts';
import { interactionLink, linksOf, reportLinks, reportLinksOf } from './run-links.ts';
import { isFinished, runStates } from './states.ts';

export const RunState = z.enum(runStates).meta({
  id: 'RunState',
  description: 'State of a run. `succeeded` and `failed` are final.',
  'x-final': runStates.filter(isFinished),
});
export type RunState = z.infer<typeof RunState>;

/** The states that may precede each state. The store turns this into its write conditions. */
export const follows = {
  running: ['created', 'running'], // running twice: another auditor claims the run after a lost audit
  succeeded: ['running'],
  failed: ['created', 'running'], // created: the sweeper abandons a run that no auditor claimed
} as const satisfies Record<Exclude<RunState, 'created'>, readonly RunState[]>;

/** Number of failed attempts after which a fault of the service fails the run. */
export const MAX_ATTEMPTS = 3;

/** One audit of a run. */
export const Attempt = z.object({
  number: z.int(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  seconds: z.number(),
  code: RunProblemCode.nullable().describe('Error code of a failed attempt. Null if the attempt gave a sample.'),
  auditCode: z.string().nullable().describe("Lighthouse's own error code."),
  contended: z
    .boolean()
    .describe('True if the load of the machine may have changed the times of the attempt, or left it too little time.'),
  variant: VariantName.optional().describe('The variant that was audited, in a check with `against`.'),
});
export type Attempt = z.infer<typeof Attempt>;

/** How a run with automatic samples ended. */
export const Turns = z
  .object({
    pairs: z.int().describe('Number of pairs of audits in turns.'),
    stopped: z
      .enum(['clear', 'most', 'time', 'failures'])
      .describe(
        `Why the run made no further pair. \`clear\`: each main metric has a verdict. \`most\`: ${MAX_PAIRS} pairs do not show it. \`time\`: the time of an audit function was over. \`failures\`: too many audits of a variant failed.`,
      ),
  })
  .meta({ id: 'Turns', description: 'How many pairs of audits a run with automatic samples made, and why it ended.' });
export type Turns = z.infer<typeof Turns>;

/** Returns the number of failed attempts of the variant that has most of them. */
export const countFailures = (attempts: readonly Attempt[]): number => {
  const failed = attempts.filter(({ code }) => code !== null);
  return Math.max(...variants.map((name) => failed.filter(({ variant = 'own' }) => variant === name).length));
};

/** Requests of the page that were blocked, because their address or port is not public. `reason` names no address of ours. */
export const BlockedRequest = z.object({ host: z.string(), port: z.int(), reason: z.string(), count: z.int() });
export type BlockedRequest = z.infer<typeof BlockedRequest>;

const { finalUrl, warnings, environment, ...results } = Measured.shape;

/** One region's audit of a check's URL. An unknown value is null. The store's own fields are in `RunItem`. */
export const Run = z.object({
  id: z.uuid(),
  auditVersion: AuditVersion,
  url: z.string(),
  region: Region,
  device: Device,
  state: RunState,
  ...results,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  finishedAt: z.iso.datetime().nullable(),
  finalUrl: finalUrl.describe('The page that was measured, after redirects.'),
  warnings,
  blockedRequests: z.array(BlockedRequest).describe('At most 50 targets, those with the most requests first.'),
  blockedRequestCount: z.int().describe('Number of all blocked requests.'),
  error: RunError.nullable(),
  attempts: z.array(Attempt),
  environment,
  against: MeasuredVariant.nullable(),
  turns: Turns.nullable().describe('Null unless the check has `samples: "auto"` and the run has succeeded.'),
  simulations: z.array(SimulatedRun).nullable(),
  assertions: z
    .array(AssertionResult)
    .nullable()
    .describe(
      'Results of the assertions on the report of the shown sample. Null if the check has none, or the run has not succeeded.',
    ),
});
export type Run = z.infer<typeof Run>;

type VariantInputs = Pick<Run, 'url' | 'auditVersion'> & Partial<Pick<Run, 'device'>>;
type RunInputs = VariantInputs & { against?: z.infer<typeof StoredAgainst> | undefined };

/** Returns a run that no auditor has claimed yet. */
export const newRun = ({ against, ...inputs }: RunInputs, region: Region, id: string, at: string): Run => ({
  id,
  ...newVariant(inputs),
  region,
  state: 'created',
  createdAt: at,
  updatedAt: at,
  startedAt: null,
  finishedAt: null,
  blockedRequests: [],
  blockedRequestCount: 0,
  error: null,
  attempts: [],
  against: against ? newVariant({ ...inputs, ...against }) : null,
  turns: null,
  simulations: null,
  assertions: null,
});

const newVariant = ({ url, device = options.device.default, auditVersion }: VariantInputs): MeasuredVariant => ({
  url,
  device,
  auditVersion,
  ...unmeasured,
});

const AgainstView = z
  .object({
    ...MeasuredVariant.shape,
    ...measuredView,
    numericValues: NumericValues,
    links: z.object(reportLinks).describe('Relative URLs. They are null as those of the run are.'),
  })
  .meta({ id: 'AgainstRun', description: 'Results of the second variant of a run. An unknown value is null.' });

/** A run as the API shows it. */
export const RunView = z
  .object({
    ...Run.shape,
    ...measuredView,
    against: AgainstView.nullable().describe('The second variant. Null if the check has only one.'),
    change: RunChange.nullable().describe(
      'Changes from `against` to the run. Null if the check has one variant, or until the run has succeeded.',
    ),
    simulations: z
      .array(SimulatedRunView)
      .nullable()
      .describe(
        'The load of the shown sample, simulated for other networks and devices. Null if the check asked for none, or the run has not succeeded.',
      ),
    numericValues: NumericValues,
    links: z
      .object({ self: z.string(), check: z.string(), page: z.string(), ...reportLinks })
      .describe(
        'Relative URLs. `page` is for people. The links to the report and its images are null if the run has no report. The link to its fixes is null if the run did not succeed. Those to its trace and its HAR are null unless the check asked for them.',
      ),
  })
  .meta({
    id: 'Run',
    description: "One region's audit of the URL of a check. An unknown value is null.",
  });
export type RunView = z.infer<typeof RunView>;

type WithReport = Pick<Parameters<typeof linksOf>[0], 'report'>;
type ShownRun = Omit<Run, 'against'> &
  WithReport & {
    checkId: string;
    regionCount?: number | undefined;
    against: (MeasuredVariant & WithReport) | null;
  };

/** Returns the fields of a stored run that the API shows. A field that `RunView` does not name stays private. */
export const runView = (run: ShownRun): RunView => {
  const changes = run.state === 'succeeded' ? changesOfRun(run) : null;
  return {
    ...pick(run, Run.keyof().options),
    ...measuredViewOf(run, (each) => ({
      report: interactionLink(run, each, 'own'),
      change: changes?.interactions.get(each.name) ?? null,
    })),
    against: run.against && {
      ...pick(run.against, MeasuredVariant.keyof().options),
      ...measuredViewOf(run.against, (each) => ({ report: interactionLink(run, each, 'against'), change: null })),
      numericValues: pick(run.against, valueNames),
      links: reportLinksOf({ ...run, report: run.against.report }, '?variant=against'),
    },
    change: changes?.load ?? null,
    simulations: run.simulations?.map(simulatedView) ?? null,
    numericValues: pick(run, valueNames),
    links: linksOf(run),
  };
};
