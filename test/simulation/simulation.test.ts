import { expect, test } from 'vitest';
import { FULL } from '../support/full.ts';
import type { Defect } from './defects/defect.ts';
import { plantedDefects } from './planted-defects.ts';
import { type Result, simulate } from './simulation.ts';

/** Runs simulations until so many faults have happened, or a promise is broken. With `SEED`, runs that one only. */
const simulateFaults = async (
  faults: number,
  first = 1,
  defect?: Defect,
): Promise<{ faults: number; broken?: Result }> => {
  const { SEED } = process.env;
  for (let [seed, sum] = [Number(SEED ?? first), 0]; ; seed++) {
    const result = await simulate(seed, { defect, ...(SEED && { onEvent: console.log }) });
    sum += result.faults;
    if (result.violation) return { faults: sum, broken: result };
    if (sum >= faults || SEED) return { faults: sum };
  }
};

const report = ({ seed, violation }: Result): string =>
  [
    `Seed ${seed}: ${violation?.what}`,
    ...(violation?.events ?? []),
    `Replay it: SEED=${seed} npx vitest run --project fast test/simulation -t 'keeps its promises'`,
  ].join('\n');

/** The nightly run begins at a new seed each time. */
const firstSeed = Number(process.env.FIRST_SEED ?? 1);
const size = FULL ? 20_000 : 300;
test(`the service keeps its promises through ${size} faults from seed ${firstSeed}`, {
  timeout: size * 300,
}, async () => {
  const { broken } = await simulateFaults(size, firstSeed);
  if (broken) throw new Error(report(broken));
});

test('a seed replays exactly, whatever ran before', { timeout: 60_000 }, async () => {
  const first = await simulate(7);
  const other = await simulate(8);
  expect(first.faults).toBeGreaterThan(20);
  expect(other.hash).not.toBe(first.hash);
  expect(await simulate(7)).toEqual(first);
});

const searched = Object.entries(plantedDefects).filter(([, { seed }]) => FULL || seed !== undefined);
test.each(searched)('finds %s within 10,000 faults', { timeout: 600_000 }, async (_, defect) => {
  const { broken } = await simulateFaults(10_000, FULL ? 1 : defect.seed, defect);
  expect(broken?.violation?.what).toMatch(defect.found);
});
