import { type Check, type CheckInputs, newCheck } from '../../../shared/check.ts';
import { spreadOf } from '../../../shared/metrics/page-metrics.ts';
import { categoriesOf } from '../../../shared/options/audit-options.ts';
import { presets, throttlingOf } from '../../../shared/options/throttling.ts';
import { ELSEWHERE } from '../../../shared/regions.ts';
import { cutText } from '../../../shared/text.ts';
import type { Uploaded } from '../store/builds.ts';
import type { CheckStore } from '../store/checks.ts';
import { type Reports, reportKey } from '../store/reports.ts';
import { bufferOf } from '../thread/buffers.ts';
import type { UploadedSample } from './parse-report.ts';
import type { ReadReport } from './read-upload.ts';

type Upload = Uploaded<UploadedSample>;

export type UploadDeps = {
  store: Pick<CheckStore, 'create' | 'closeIfFinished'>;
  reports: Pick<Reports, 'put'>;
  /** Returns the sample that a run shows. */
  medianOf: (samples: readonly [UploadedSample, ...UploadedSample[]]) => UploadedSample;
  retentionDays: number;
  trendDays: number;
  newId: () => string;
  now: () => Date;
};

/** Stores an uploaded report as one of the reports of its run. */
export const storeReport = async (
  { reports, retentionDays, newId }: Pick<UploadDeps, 'reports' | 'retentionDays' | 'newId'>,
  { checkId, runId }: { checkId: string; runId: string },
  { gzip, bytes }: Pick<ReadReport, 'gzip' | 'bytes'>,
  id = newId(),
): Promise<Upload['report']> => {
  const key = reportKey({ id, run: { id: runId, checkId, retentionDays } }, 1);
  await reports.put(key, bufferOf(gzip));
  return { key, bytes, gzipBytes: gzip.length };
};

type NewUpload = {
  id: string;
  createId: string;
  runId: string;
  owner: string;
  url: string;
  labels: Record<string, string>;
  fingerprint: string;
  requestId: string;
  uploads: readonly [Upload, ...Upload[]];
};

/**
 * Stores the check of uploaded reports, which are the samples of its one run, and closes it. Safe to repeat. Returns undefined
 * if another create has its id.
 */
export const storeUpload = async (
  deps: UploadDeps,
  { uploads, runId, ...upload }: NewUpload,
): Promise<Check | undefined> => {
  const { store, medianOf, retentionDays, trendDays, now } = deps;
  const { id, createId, owner, fingerprint, requestId } = upload;
  const [first, ...others] = uploads;
  const samples = [first, ...others].map(({ results }) => results) as [UploadedSample, ...UploadedSample[]];
  const shown = medianOf(samples);
  const at = now();
  const { report } = uploads[samples.indexOf(shown)] as Upload;
  const check = newCheck(inputsOf(upload, shown, samples.length), { id, runIds: [runId], now: at });
  const runs = check.runs.map((run) => ({
    ...run,
    ...shown.metrics,
    state: 'succeeded' as const,
    samples: samples.map(({ metrics }) => ({ ...metrics, cpuBusy: null, contended: null })),
    spread: spreadOf(samples.map(({ metrics }) => metrics)),
    finalUrl: shown.finalUrl,
    warnings: [notMeasured(shown.environment), ...shown.warnings],
    environment: shown.environment,
    finishedAt: at.toISOString(),
    report,
  }));
  const inDays = (count: number) => new Date(at.getTime() + count * 24 * 3600 * 1000);
  const stored = await store.create(
    { ...check, runs },
    {
      owner,
      fingerprint,
      createId,
      retentionDays,
      correlationId: requestId,
      expiresAt: inDays(retentionDays),
      trendExpiresAt: inDays(trendDays),
    },
  );
  if (!stored) return undefined;
  await store.closeIfFinished(id, at);
  return { ...check, runs };
};

/** Returns the warning that says where an uploaded report comes from, and what nobody knows about it. */
const notMeasured = ({ chromium, kernel, benchmarkIndex }: UploadedSample['environment']): string => {
  const machine = [chromium, kernel ?? 'an unknown system'].map((text) => cutText(text, 100)).join(' on ');
  const benchmark = benchmarkIndex === null ? '' : ` with a CPU benchmark of ${Math.round(benchmarkIndex)}`;
  return `The report was uploaded, so the service did not measure it. It comes from ${machine}${benchmark}. Verdicts exist only between uploads of the same environment. The CPU time of the main thread and the load of the machine are unknown.`;
};

/** Returns the inputs with which the service would have made the report. */
const inputsOf = (
  { url, labels }: Pick<NewUpload, 'url' | 'labels'>,
  { auditVersion, device, categories, environment }: UploadedSample,
  count: number,
): CheckInputs => {
  const isUsual = categories.join() === categoriesOf(auditVersion, {}).join();
  const throttling = throttlingOf({ environment });
  const isPreset = JSON.stringify(throttling) === JSON.stringify(presets[device]);
  const { blockedUrlPatterns } = environment;
  return {
    url,
    auditVersion,
    regions: [ELSEWHERE],
    device,
    ...(count > 1 && { samples: count }),
    ...(!isUsual && { categories }),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(throttling && !isPreset && { throttling }),
    ...(blockedUrlPatterns.length > 0 && { blockedUrlPatterns }),
  };
};
