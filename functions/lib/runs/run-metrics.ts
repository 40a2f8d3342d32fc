import type { Environment } from '../../../shared/environment.ts';
import type { RunError } from '../../../shared/problems.ts';
import type { Region } from '../../../shared/regions.ts';
import { emit } from '../log.ts';

/** Counts a finished run. */
export const emitFinished = (region: Region, error: RunError | null): void => {
  if (error) emit('RunFailed', 1, { region, code: error.code, blame: error.blame });
  emit('ServiceFailure', error?.blame === 'service' ? 1 : 0, { region });
};

/** Emits how long a run took since its creation if it succeeded, and in its audits unless we failed it, and how its host was. */
export const emitMeasured = (
  region: Region,
  error: RunError | null,
  measured: { runSeconds: number; auditSeconds: number; environment: Environment | null },
): void => {
  const { runSeconds, auditSeconds, environment } = measured;
  if (error === null) emit('RunSeconds', runSeconds, { region });
  if (error === null || error.blame === 'page') emit('AuditSeconds', auditSeconds, { region });
  const { benchmarkIndex, cpuStolen, contended } = environment ?? {};
  if (benchmarkIndex) emit('BenchmarkIndex', benchmarkIndex, { region });
  if (typeof cpuStolen === 'number') emit('StolenCpuPercent', 100 * cpuStolen, { region });
  if (typeof contended === 'boolean') emit('ContendedPercent', contended ? 100 : 0, { region });
};
