import { readFileSync } from 'node:fs';
import { median } from './numbers.ts';
import type { Results } from './tables.ts';

/** Growth of the ratio above which the run fails. Seven rounds of one commit differ by less. */
const MAX_GROWTH = 0.1;

/** Returns the median ratio of the turnaround of an audit to the time of its engine. It depends little on the machine. */
export const ratioOf = ({ turnaround = [] }: Pick<Results, 'turnaround'>): number =>
  median(turnaround.map(({ service }) => service.seconds / service.engineSeconds));

/** Returns a sentence that compares the ratio of this commit with that of a release, and whether it is as good. */
export const compareRatios = (release: number, now: number): { isGood: boolean; text: string } => ({
  isGood: now <= release * (1 + MAX_GROWTH),
  text: `The turnaround of an audit is ${now.toFixed(3)} times the time of its engine. In the last release it was ${release.toFixed(3)}.`,
});

if (import.meta.main) {
  const [release = Number.NaN, now = Number.NaN] = process.argv
    .slice(2)
    .map((file) => ratioOf(JSON.parse(readFileSync(file, 'utf8')) as Results));
  const { isGood, text } = compareRatios(release, now);
  console.log(text);
  if (!isGood) process.exitCode = 1;
}
