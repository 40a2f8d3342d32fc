import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { environmentOf } from '../../infra/environments.ts';
import { peakOf, wallsOf } from '../../infra/operator/walls.ts';

const prod = environmentOf('prod');
const walls = wallsOf(prod);
const whole = (value: number) => Math.round(value).toLocaleString('en');

test('SCALE.md has the walls that follow from the row of prod, the first one first', () => {
  const page = readFileSync('infra/SCALE.md', 'utf8');
  const rows = walls.map(
    ({ name, perSecond, perMonth }) => `| ${name} | ${whole(perSecond)} | ${whole(perMonth / 1e6)} M |`,
  );
  expect(page).toContain(`${rows.join('\n')}\n\n`);
});

test('prod has no wall at 10 million runs a month, and three at 100 million', () => {
  const below = (runs: number) => walls.filter(({ perSecond }) => perSecond < peakOf(runs)).map(({ name }) => name);
  expect(below(10e6)).toEqual([]);
  expect(below(100e6)).toEqual(['`reserved.waits`', '`auditsAtOnce`', 'a fresh table']);
  expect(below(1e9)).toHaveLength(8);
});

test('a change of the row moves its wall', () => {
  const moved = wallsOf({ ...prod, auditsAtOnce: 90, reserved: null });
  expect(moved[0]?.name).toBe('`auditsAtOnce`');
  expect(moved[0]?.perSecond).toBeCloseTo((6 * 90) / 6.2);
});
