import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { environmentOf } from '../../infra/environments.ts';
import { perRun } from '../../infra/operator/cost-model.ts';
import { tablesOf } from '../../infra/operator/cost-tables.ts';
import { peakOf, wallsOf } from '../../infra/operator/walls.ts';

const prod = environmentOf('prod');
const walls = wallsOf(prod);

test.each(Object.entries(tablesOf()))('%s has the tables that `npm run cost -- --write` writes', (file, tables) => {
  const page = readFileSync(file, 'utf8');
  for (const table of tables) expect(page).toContain(`\n${table}\n`);
});

test('prod has no wall at 10 million runs a month, and two at 100 million', () => {
  const below = (runs: number) => walls.filter(({ perSecond }) => perSecond < peakOf(runs)).map(({ name }) => name);
  expect(below(10e6)).toEqual([]);
  expect(below(100e6)).toEqual(['`reserved.waits`', '`auditsAtOnce`']);
  expect(below(1e9)).toHaveLength(6);
});

test('large has no wall below the busiest minutes of a million checks of six regions a day', () => {
  const peak = peakOf(1e6 * 6 * 30);
  expect(Math.round(peak)).toBe(208);
  for (const { name, perSecond } of wallsOf(environmentOf('large'), 6)) expect(perSecond, name).toBeGreaterThan(peak);
  expect(wallsOf({ ...environmentOf('large'), auditsAtOnce: 50 }, 6)[0]?.perSecond).toBeLessThan(peak / 3);
});

test('a change of the row moves its wall', () => {
  const moved = wallsOf({ ...prod, auditsAtOnce: 90, reserved: null });
  expect(moved[0]?.name).toBe('`auditsAtOnce`');
  expect(moved[0]?.perSecond).toBeCloseTo((6 * 90) / perRun.auditSeconds);
});
