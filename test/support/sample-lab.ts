import { auditors } from '../../functions/auditor/parent/auditors.ts';
import type { Sample } from '../../shared/page-metrics-schemas.ts';
import { chromiumDir } from './chromium-dir.ts';
import { anOrder } from './order.ts';

/** Starts auditors that audit pages for recordings. */
export const startSampleLab = async () => {
  const lab = auditors({ targets: { targets: 'local', ports: [] }, chromiumDir: chromiumDir() });
  await lab.prepare();
  const audit = async (url: string): Promise<Sample> => {
    const verdict = await lab.audit(anOrder({ url }), new AbortController().signal);
    if (verdict.state === 'failed') throw new Error(verdict.error.message);
    const { cpuBusy = null, mainThreadCpu = null, contended = null } = verdict.environment ?? {};
    return { ...verdict.metrics, cpuBusy, mainThreadCpu, contended };
  };
  /** Audits a page until there are enough samples, one after another. A contended sample is retaken at most `retakes` times. */
  const repeat = async (url: string, count: number, retakes = 0): Promise<Sample[]> => {
    const samples: Sample[] = [];
    for (let left = retakes; samples.length < count; ) {
      const sample = await audit(url);
      if (sample.contended && left > 0) left -= 1;
      else samples.push(sample);
    }
    return samples;
  };
  return { repeat, [Symbol.asyncDispose]: () => lab.close() };
};
