import { z } from 'zod';
import { options } from './audit-options.ts';
import { Environment } from './environment.ts';
import { AuditVersion, Device, Region } from './name-schemas.ts';
import { noMetrics, valueNames } from './page-metrics.ts';
import {
  Metrics,
  MetricsView,
  metricsView,
  NumericValues,
  Sample,
  SampleView,
  Spread,
  SpreadView,
  sampleView,
  spreadView,
} from './page-metrics-schemas.ts';
import { pick } from './pick.ts';
import { RunError, RunProblemCode } from './problems.ts';

export const RunState = z.enum(['created', 'running', 'succeeded', 'failed']).meta({
  id: 'RunState',
  description: 'State of a run. `succeeded` and `failed` are final.',
  'x-final': ['succeeded', 'failed'],
});
export type RunState = z.infer<typeof RunState>;

/** The states that may precede each state. The store turns this into its write conditions. */
export const follows = {
  running: ['created', 'running'], // running twice: another auditor claims the run after a lost audit
  succeeded: ['running'],
  failed: ['created', 'running'], // created: the sweeper abandons a run that no auditor claimed
} as const satisfies Record<Exclude<RunState, 'created'>, readonly RunState[]>;

export const isFinished = (state: RunState): boolean => state === 'succeeded' || state === 'failed';

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
  contended: z.boolean().describe('True if other processes used the CPU during the attempt.'),
});
export type Attempt = z.infer<typeof Attempt>;

export const countFailures = (attempts: readonly Attempt[]): number =>
  attempts.filter(({ code }) => code !== null).length;

/** Requests of the page that were blocked, because their address or port is not public. `reason` names no address of ours. */
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
  finalUrl: z.string().nullable().describe('The page that was measured, after redirects.'),
  warnings: z.array(z.string()),
  blockedRequests: z.array(BlockedRequest).describe('At most 50 targets, those with the most requests first.'),
  blockedRequestCount: z.int().describe('Number of all blocked requests.'),
  error: RunError.nullable(),
  attempts: z.array(Attempt),
  environment: Environment.nullable(),
});
export type Run = z.infer<typeof Run>;

type RunInputs = Pick<Run, 'url' | 'auditVersion'> & Partial<Pick<Run, 'device'>>;

/** Returns a run that no auditor has claimed yet. */
export const newRun = ({ url, auditVersion, device }: RunInputs, region: Region, id: string, at: string): Run => ({
  id,
  auditVersion,
  url,
  region,
  device: device ?? options.device.default,
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

/** A run as the API shows it. */
export const RunView = z
  .object({
    ...Run.shape,
    ...MetricsView.shape,
    samples: z.array(SampleView).describe('The samples so far while the run is in work. None if it failed.'),
    spread: SpreadView.nullable().describe('Smallest and largest value of each metric, from two samples on.'),
    numericValues: NumericValues,
    links: z
      .object({
        self: z.string(),
        check: z.string(),
        page: z.string(),
        report: z.string().nullable(),
        fixes: z.string().nullable(),
        screenshot: z.string().nullable(),
        filmstrip: z.string().nullable(),
      })
      .describe(
        'Relative URLs. `page` is for people. The links to the report and its images are null if the run has no report. The link to its fixes is null if the run did not succeed.',
      ),
  })
  .meta({
    id: 'Run',
    description: "One region's audit of the URL of a check. An unknown value is null.",
  });
export type RunView = z.infer<typeof RunView>;

/** Returns the fields of a stored run that the API shows. A field that `RunView` does not name stays private. */
export const runView = (run: Run & { checkId: string; report?: object | undefined }): RunView => ({
  ...pick(run, Run.keyof().options),
  ...metricsView(run),
  samples: run.samples.map(sampleView),
  spread: run.spread && spreadView(run.spread),
  numericValues: pick(run, valueNames),
  links: linksOf(run),
});

const linksOf = ({ id, checkId, state, report }: Parameters<typeof runView>[0]): RunView['links'] => {
  const check = `/v1/checks/${checkId}`;
  const self = `${check}/runs/${id}`;
  const ofReport = (name: string) => (report ? `${self}/${name}` : null);
  return {
    self,
    check,
    page: `/checks/${checkId}/runs/${id}`,
    report: ofReport('report'),
    fixes: state === 'succeeded' ? ofReport('fixes') : null,
    screenshot: ofReport('screenshot'),
    filmstrip: ofReport('filmstrip'),
  };
};
