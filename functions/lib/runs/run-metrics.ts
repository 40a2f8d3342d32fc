import type { Environment } from '../../../shared/environment.ts';
import type { RunError } from '../../../shared/problems.ts';
import { CANARY_OWNER } from '../../../shared/service/keys.ts';
import type { DimensionsOf, MetricName } from '../../../shared/service/metrics.ts';
import { emit } from '../log.ts';
import type { RunItem } from '../store/items.ts';

type Run = Pick<RunItem, 'region' | 'owner'>;

/**
 * Emits a metric of a run, unless the run is of the canary. Without users, a region then has no metrics that CloudWatch
 * bills, and the shares that alarms read are those of users.
 */
export const emitOfRun = <Name extends MetricName>(
  { owner }: Run,
  name: Name,
  value: number,
  dimensions: DimensionsOf<Name>,
): void => {
  if (owner !== CANARY_OWNER) emit(name, value, dimensions);
};

/** Counts a finished run. */
export const emitFinished = (run: Run, error: RunError | null): void => {
  const { region } = run;
  if (error) emitOfRun(run, 'RunFailed', 1, { region, code: error.code, blame: error.blame });
  emitOfRun(run, 'ServiceFailure', error?.blame === 'service' ? 1 : 0, { region });
};

/** Emits how long a run took since its creation if it succeeded, and in its audits unless we failed it, and how its host was. */
export const emitMeasured = (
  run: Run,
  error: RunError | null,
  measured: { runSeconds: number; auditSeconds: number; environment: Environment | null },
): void => {
  const { region } = run;
  const { runSeconds, auditSeconds, environment } = measured;
  if (error === null) emitOfRun(run, 'RunSeconds', runSeconds, { region });
  if (error === null || error.blame === 'page') emitOfRun(run, 'AuditSeconds', auditSeconds, { region });
  const { cpuStolen, contended } = environment ?? {};
  if (typeof cpuStolen === 'number') emitOfRun(run, 'StolenCpuPercent', 100 * cpuStolen, { region });
  if (typeof contended === 'boolean') emitOfRun(run, 'ContendedPercent', contended ? 100 : 0, { region });
};
