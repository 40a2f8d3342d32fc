import { auditors } from '../../functions/auditor/parent/auditors.ts';
import type { Environment } from '../../shared/environment.ts';
import type { Sample } from '../../shared/metrics/page-metrics-schemas.ts';
import type { AuditOptions } from '../../shared/options/audit-options-schemas.ts';
import type { Uncorrected } from '../../shared/options/simulations-schemas.ts';
import { auditorDir } from './auditor-dir.ts';
import { testChromium } from './chromium-dir.ts';
import { anOrder } from './order.ts';

/** A sample with its time, how the machine was meanwhile, and Lighthouse's own numbers if the waits were removed. */
export type RecordedSample = Sample &
  Pick<Environment, 'cpuWaitMs' | 'corrected'> & { at: string; uncorrected?: Uncorrected };

/** A check of a page by one host. */
export type RecordedCheck = { host: string | null; samples: RecordedSample[] };

/** Starts auditors that audit pages for recordings. A busy machine is in the recording, so nothing waits or is retaken. */
export const startSampleLab = async (options: Partial<AuditOptions> = {}) => {
  const lab = auditors({
    targets: { targets: 'local', ports: [] },
    ...testChromium(),
    auditorDir: await auditorDir(),
  });
  await lab.prepare();
  const audit = async (url: string) => {
    const at = new Date().toISOString();
    const verdict = await lab.audit(anOrder({ url, ...options }), new AbortController().signal);
    if (verdict.state === 'failed') throw new Error(verdict.error.message);
    const { environment, metrics, uncorrected, steady } = verdict;
    const { cpuBusy = null, cpuWaitMs = null } = environment ?? {};
    const { corrected = null, contended = null, host = null } = environment ?? {};
    const use = { cpuBusy, cpuWaitMs, corrected, contended };
    return { host, sample: { at, ...metrics, ...use, ...(uncorrected && { uncorrected }), ...(steady && { steady }) } };
  };
  /** Audits a page until there are enough samples, one after another. */
  const check = async (url: string, count: number): Promise<RecordedCheck> => {
    const audits: Awaited<ReturnType<typeof audit>>[] = [];
    while (audits.length < count) audits.push(await audit(url));
    return { host: audits[0]?.host ?? null, samples: audits.map(({ sample }) => sample) };
  };
  return { check, [Symbol.asyncDispose]: () => lab.close() };
};
