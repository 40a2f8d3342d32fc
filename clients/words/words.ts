import { grouped } from '../../shared/text.ts';
import { counted } from './numbers.ts';

/** Why results can't be compared, by the code of the reason. */
export const reasonTexts: Readonly<Record<string, string>> = {
  failed: 'The run failed, so it is in no comparison.',
  'missing-region': 'Only one of the checks has this region.',
  contended:
    'The machine was busy, and the times could not be corrected. They and the performance score have no verdict.',
  'different-machine':
    'The machines are of different kinds (CPU or memory). The performance score and the times have no verdict.',
  'other-speed':
    'Nearly all work of the page took longer in one of the checks: the machine was slower, or all of the page changed. The performance score and the times have no verdict. Audit both in turns.',
  'fewer-samples': 'The performance score, the times and CLS have no verdict. They need at least 3 samples.',
};

/** Returns how long the page waited for a CPU, and whether the times are without that. */
export const cpuWaitText = ({
  cpuWaitMs,
  corrected,
}: {
  cpuWaitMs: number | null;
  corrected: boolean | null;
}): string => {
  if (cpuWaitMs === null) return '–';
  return `${grouped(cpuWaitMs)} ms${corrected ? ', which the times are without' : ''}`;
};

/** Returns a sentence that says which variant of a check has failed. Returns nothing if that is the only one, or the first. */
export const failedVariantText = ({ variant }: { variant?: string | undefined }): string =>
  variant === 'against' ? 'The second variant of the check has failed.' : '';

/** Most ids that a note on unreadable data names. */
const MAX_NAMED = 3;

/** Returns that the stored data of checks or runs can't be read, and how to erase them. Only checks can be erased. */
export const unreadableNote = (ids: readonly string[], noun: 'check' | 'run' = 'check') => {
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : '';
  const named = `${counted(ids.length, noun)} can't be read: ${ids.slice(0, MAX_NAMED).join(', ')}${more}.`;
  return `${named} To erase ${noun === 'run' ? 'the check of a run' : 'a check'}: page-audit delete <check>`;
};
