import type { ArtifactName } from '../../../shared/options/artifacts.ts';
import { type Variant, variants } from '../../../shared/options/variants.ts';
import { idsOf, log } from '../log.ts';
import { retry } from '../retry.ts';
import type { RunItem } from '../store/items.ts';
import type { Lease } from '../store/leases.ts';
import { artifactKey, type Reports, reportKey } from '../store/reports.ts';

type Work = {
  reports: Pick<Reports, 'put'>;
  lease: Lease;
  retryDelaysMs: readonly number[];
  remainingMs: () => number;
  signal: AbortSignal;
};
type StoredReport = NonNullable<RunItem['report']>;
type File = { gzip: Buffer; bytes: number };
type Report = File & { artifacts?: Partial<Record<ArtifactName, File>> | undefined };
export type StoredReports = Record<Variant, RunItem['report']>;
type StoredInteraction = NonNullable<RunItem['interactions']>[number];
type Interaction = Omit<StoredInteraction, 'report'> & { report?: Report };

/** Time of the invocation that is kept for the last write of the run, in milliseconds. */
const LAST_WRITE_MS = 8000;
/** Time limit for storing the report of a failed audit, in milliseconds. The run doesn't need this report. */
const FAILED_REPORT_MS = 30_000;

/** Stores the reports of the variants. Returns the variant whose report the run needs and storage refused. */
export const storeReports = async (
  work: Work,
  reports: Record<Variant, Report | undefined>,
  attempts: number,
  isNeeded: boolean,
): Promise<{ stored: StoredReports } | { failed: Variant }> => {
  const stored: StoredReports = { own: undefined, against: undefined };
  for (const variant of variants) {
    const place = await storeReport(work, reportKey(work.lease, attempts, variant), reports[variant], { isNeeded });
    if (place === 'not stored') return { failed: variant };
    stored[variant] = place;
  }
  return { stored };
};

/**
 * Stores a report before the run is marked as succeeded. Retries as long as the invocation has time, because storing costs
 * less than another audit. A failed run finishes without its report if storage fails.
 */
const storeReport = async (
  { reports, lease, ...work }: Work,
  key: string,
  report: Report | undefined,
  { isNeeded }: { isNeeded: boolean },
): Promise<StoredReport | undefined | 'not stored'> => {
  if (!report) return undefined;
  const keptMs = isNeeded ? LAST_WRITE_MS : Math.max(LAST_WRITE_MS, work.remainingMs() - FAILED_REPORT_MS);
  try {
    await retry(() => reports.put(key, report.gzip), work, keptMs);
    log.debug('The report is stored.', idsOf(lease.run));
    const artifacts = await storeArtifacts({ reports, lease, ...work }, key, report);
    return { key, bytes: report.bytes, gzipBytes: report.gzip.length, ...(artifacts && { artifacts }) };
  } catch (error) {
    if (work.signal.aborted) throw error;
    log.error('Could not store the report.', { ...idsOf(lease.run), error: error as Error });
    return isNeeded ? 'not stored' : undefined;
  }
};

type WithInteractions = { interactions?: readonly Interaction[] };
type Result = { state: string } & WithInteractions & { against?: object };

/** Stores the reports of interactions. The run does not need them, so a report that storage refuses is left out. */
export const storeReportsOfParts = async (
  work: Work,
  result: Result,
  attempts: number,
): Promise<Record<Variant, Pick<RunItem, 'interactions'>>> => {
  const storeOf = async ({ interactions }: WithInteractions, variant: Variant) => {
    const stored: StoredInteraction[] = [];
    for (const [i, { report, ...interaction }] of (interactions ?? []).entries()) {
      const key = reportKey(work.lease, attempts, variant, i + 1);
      const place = await storeReport(work, key, report, { isNeeded: false });
      stored.push({ ...interaction, ...(place && place !== 'not stored' && { report: place }) });
    }
    return { interactions: interactions ? stored : null };
  };
  return {
    own: await storeOf(result, 'own'),
    against: await storeOf((result.against ?? {}) as WithInteractions, 'against'),
  };
};

/** Stores the artifacts of a report. The run does without one that storage refuses, because its results don't need it. */
const storeArtifacts = async (
  { reports, lease: { run }, ...work }: Work,
  key: string,
  { artifacts }: Report,
): Promise<StoredReport['artifacts']> => {
  if (!artifacts) return undefined;
  const keptMs = Math.max(LAST_WRITE_MS, work.remainingMs() - FAILED_REPORT_MS);
  const stored = Object.entries(artifacts).map(async ([name, { gzip, bytes }]) => {
    try {
      await retry(() => reports.put(artifactKey(run, key, name as ArtifactName), gzip), work, keptMs);
      return [[name, { bytes, gzipBytes: gzip.length }]] as const;
    } catch (error) {
      if (work.signal.aborted) throw error;
      log.error('Could not store an artifact.', { ...idsOf(run), name, error: error as Error });
      return [];
    }
  });
  return Object.fromEntries((await Promise.all(stored)).flat());
};
