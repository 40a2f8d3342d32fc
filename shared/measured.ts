import { z } from 'zod';
import { Environment } from './environment.ts';
import {
  type BesidesInteraction,
  InteractionRun,
  InteractionRunView,
  interactionView,
} from './interactions/interactions-schemas.ts';
import { interactionTimesOf } from './interactions/series.ts';
import { InteractionTimes, interactionTimesView, StoredTimes } from './interactions/series-schemas.ts';
import { noMetrics } from './metrics/page-metrics.ts';
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
} from './metrics/page-metrics-schemas.ts';
import { AuditVersion, Device } from './name-schemas.ts';
import { Uncorrected, UncorrectedView, uncorrectedView } from './options/simulations-schemas.ts';
import { throttlingOf } from './options/throttling.ts';
import { MeasuredThrottling } from './options/throttling-schemas.ts';
import { pick } from './pick.ts';
import { RunProblemCode } from './problems.ts';
import { recordOf } from './record.ts';

/** Schemas of the results that answers show in another form. */
export const measuredView = {
  ...MetricsView.shape,
  samples: z.array(SampleView).describe('The samples so far while the run is in work. None if it failed.'),
  spread: SpreadView.nullable().describe('Smallest and largest value of each metric, from two samples on.'),
  uncorrected: UncorrectedView.nullable().describe(
    "Lighthouse's own numbers of the load of the shown sample. Null if its times were not corrected.",
  ),
  interactions: z
    .array(InteractionRunView)
    .nullable()
    .describe('Results of the interactions. Null if the check asked for none, or the run has not succeeded.'),
};

/** Results that an audit gives as they are stored. Null if the audit gives none. */
const Given = z.object({ uncorrected: Uncorrected.nullable() });
export type Given = z.infer<typeof Given>;
export const givenNames = Given.keyof().options;

/** Results of one variant of a run, as stored. An unknown value is null. */
export const Measured = z.object({
  ...Metrics.shape,
  samples: z.array(Sample),
  spread: Spread.nullable(),
  ...Given.shape,
  interactions: z.array(InteractionRun).nullable(),
  finalUrl: z.string().nullable(),
  warnings: z.array(z.string()),
  environment: Environment.nullable(),
});
export type Measured = z.infer<typeof Measured>;
export const measuredNames = Measured.keyof().options;

/** Results of a variant that no audit has measured. */
export const unmeasured: Measured = {
  ...noMetrics,
  samples: [],
  spread: null,
  ...recordOf(givenNames, () => null),
  interactions: null,
  finalUrl: null,
  warnings: [],
  environment: null,
};

/** Inputs and results of one variant of a run. */
export const MeasuredVariant = z.object({
  url: z.string(),
  device: Device,
  auditVersion: AuditVersion,
  ...Measured.shape,
});
export type MeasuredVariant = z.infer<typeof MeasuredVariant>;

/** Returns results as the API shows them. `besides` returns what an answer shows of an interaction besides its result. */
export const measuredViewOf = (measured: Measured, besides: (interaction: InteractionRun) => BesidesInteraction) => ({
  ...pick(measured, measuredNames),
  ...metricsView(measured),
  samples: measured.samples.map(sampleView),
  spread: measured.spread && spreadView(measured.spread),
  uncorrected: measured.uncorrected && uncorrectedView(measured.uncorrected),
  interactions: measured.interactions?.map((each) => interactionView(each, besides(each))) ?? null,
});

/** A run as stored, or as the API shows it. */
type Source = Pick<Measured, 'environment'> & {
  samples: readonly unknown[];
  error: { code: RunProblemCode } | null;
  interactions: Parameters<typeof interactionTimesOf>[0];
};
/** The shapes that show a fact besides the series of runs: CSV, the newest result of a page, and summaries for agents. */
type Shows = { csv?: true; newest?: true; agents?: true };

const fact = <Schema extends z.ZodType, const Shown extends Shows = Record<never, never>>(
  schema: Schema,
  of: (run: Source) => z.output<Schema>,
  shows?: Shown,
) => ({ schema, of, ...shows }) as { schema: Schema; of: typeof of } & Shown;

/** A fact of the environment of a run. Null if the audit ended before. */
const ofEnvironment = <Name extends keyof Environment, const Shown extends Shows = Record<never, never>>(
  name: Name,
  shows?: Shown,
) => {
  const schema = Environment.shape[name] as unknown as z.ZodType<Environment[Name] | null>;
  return fact(schema, ({ environment }) => environment?.[name] ?? null, shows);
};

/** Facts about a run that its summaries show. A new one follows the others in CSV. */
const facts = {
  sampleCount: fact(z.int(), ({ samples }) => samples.length, { csv: true, newest: true }),
  errorCode: fact(RunProblemCode.nullable(), ({ error }) => error?.code ?? null, { csv: true, newest: true }),
  contended: ofEnvironment('contended', { csv: true, newest: true, agents: true }),
  host: ofEnvironment('host', { csv: true }),
  chromium: fact(Environment.shape.chromium.nullable(), ({ environment }) => environment?.chromium ?? null, {
    csv: true,
  }),
  sandbox: ofEnvironment('sandbox'),
  fonts: ofEnvironment('fonts'),
  revision: ofEnvironment('revision'),
  benchmarkIndex: fact(z.number().nullable(), ({ environment }) => environment?.benchmarkIndex ?? null, { csv: true }),
  throttling: fact(
    MeasuredThrottling.nullable().describe('As in a create. Null if the audit ended before.'),
    throttlingOf,
    {
      csv: true,
    },
  ),
  blockedUrlPatterns: fact(
    z.array(z.string()).nullable().describe('The patterns of the check. Null if the audit ended before.'),
    ({ environment }) => environment?.blockedUrlPatterns ?? null,
    { csv: true },
  ),
  interactions: fact(StoredTimes, ({ interactions }) => interactionTimesOf(interactions), {
    csv: true,
    newest: true,
  }),
};

type Facts = typeof facts;
type FactName = keyof Facts;
const factNames = Object.keys(facts) as FactName[];

export const RunFacts = z.object(
  recordOf(factNames, (name) => facts[name].schema) as unknown as { [Name in FactName]: Facts[Name]['schema'] },
);

/** Returns the facts about a run that its summaries show. */
export const factsOf = (run: Source) => recordOf(factNames, (name) => facts[name].of(run)) as z.infer<typeof RunFacts>;

/** The facts as the API shows them. */
export const RunFactsView = RunFacts.extend({ interactions: InteractionTimes });
/** Returns the facts that the API shows in another form. */
export const factsView = ({ interactions }: Pick<z.infer<typeof RunFacts>, 'interactions'>) => ({
  interactions: interactionTimesView(interactions),
});
/** Returns the same facts as CSV shows them. */
export const factCells = ({ interactions }: FactsOfCells) => ({ interactions: interactionTimesOf(interactions) });
export type FactsOfCells = Partial<Pick<Source, 'interactions'>>;

type NameIn<Shape extends keyof Shows> = {
  [Name in FactName]: Facts[Name] extends Record<Shape, true> ? Name : never;
}[FactName];

/** Returns the names of the facts that a shape shows. */
export const factsIn = <Shape extends keyof Shows>(shape: Shape): NameIn<Shape>[] =>
  factNames.filter((name): name is NameIn<Shape> => shape in facts[name]);
