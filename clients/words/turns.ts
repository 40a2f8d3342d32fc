import type { Samples } from '../../shared/options/audit-options.ts';
import { MAX_PAIRS } from '../../shared/options/variants.ts';
import type { RunView, Turns } from '../../shared/run.ts';
import { counted } from './numbers.ts';

/** Returns which sample a run in work measures, such as `sample 2 of 5`. Empty if the run has only one. */
export const sampleText = (taken: number, samples: Samples = 1): string => {
  if (samples === 1) return '';
  const most = samples === 'auto' ? MAX_PAIRS : samples;
  return `sample ${Math.min(taken + 1, most)} of ${samples === 'auto' ? 'at most ' : ''}${most}`;
};

type InWork = Pick<RunView, 'samples' | 'attempts' | 'against'>;

/** Returns which sample a run in work measures, and whether it measures it again. Empty if there is nothing to say. */
export const progressText = ({ samples, attempts, against }: InWork, wanted?: Samples): string => {
  const sample = sampleText(samples.length, wanted);
  const last = attempts.at(-1);
  const isRepeated = last && attempts.length > samples.length + (against?.samples.length ?? 0);
  if (!isRepeated || (last.code === null && !last.contended)) return sample;
  const again = last.contended
    ? 'measures again, because the machine was busy'
    : 'measures again, because an attempt failed';
  return [sample, again].filter(Boolean).join(', ');
};

const reasons: Record<Turns['stopped'], string> = {
  clear: 'each main metric has a verdict',
  most: 'the most, and not each main metric has a verdict',
  time: 'the time of the audit was over',
  failures: 'too many audits failed',
};

/** Returns how many pairs a run with automatic samples made, and why it ended. */
export const turnsText = ({ pairs, stopped }: Turns): string =>
  `${counted(pairs, 'pair')} in turns: ${reasons[stopped]}`;
