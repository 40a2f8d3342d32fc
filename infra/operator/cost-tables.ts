import { readFileSync, writeFileSync } from 'node:fs';
import { type Environment, environmentOf, environments } from '../environments.ts';
import { idleMonth, month, sum, workerMonth, workerPaysFrom } from './cost-model.ts';
import { wallsOf } from './walls.ts';

const volumes = [1_000, 100_000, 10_000_000]; // runs a month

/** Returns a Markdown table of numbers. The last row has the sums of the columns. */
const table = (title: string, columns: readonly string[], months: readonly Record<string, number>[], digits: number) =>
  [
    row(title, columns),
    `| ${'-'.repeat(26)} | ${columns.map(() => `${'-'.repeat(11)}:`).join(' | ')} |`,
    ...Object.keys(months[0] as object).map((name) =>
      row(
        name,
        months.map((each) => (each[name] as number).toFixed(digits)),
      ),
    ),
    row(
      '**all**',
      months.map((each) => sum(each).toFixed(digits)),
    ),
  ].join('\n');

const row = (name: string, cells: readonly string[]): string =>
  `| ${name.padEnd(26)} | ${cells.map((cell) => cell.padStart(12)).join(' | ')} |`;

/** Returns the dollars of a month of each environment without users. */
export const idleTable = (): string => {
  const names = Object.keys(environments);
  const months = names.map((name) => idleMonth(environmentOf(name)));
  return table('part', names, months, 2);
};

/** Returns the dollars of 1,000 runs in prod, for each number of runs a month. */
export const runsTable = (environment: Environment = environmentOf('prod')): string => {
  const perThousand = (runs: number) =>
    Object.fromEntries(Object.entries(month(environment, runs)).map(([name, each]) => [name, (each / runs) * 1000]));
  return table(
    'service',
    volumes.map((runs) => runs.toLocaleString('en')),
    volumes.map(perThousand),
    3,
  );
};

/** Returns the walls of an environment, whose checks have so many runs each. */
export const wallsTable = (name: keyof typeof environments, runsOfCheck: number): string => {
  const whole = (value: number) => Math.round(value).toLocaleString('en');
  return [
    `| wall of \`${name}\` | runs a second | runs a month |`,
    '| --- | ---: | ---: |',
    ...wallsOf(environmentOf(name), runsOfCheck).map(
      (wall) => `| ${wall.name} | ${whole(wall.perSecond)} | ${whole(wall.perMonth / 1e6)} M |`,
    ),
  ].join('\n');
};

/** Returns the cost of workers beside that of Lambda. */
const workersTable = (): string => {
  const kinds = [true, false].map((spot) => ({ ...workerMonth(spot), paysFrom: workerPaysFrom(spot) }));
  const line = (name: string, of: (kind: (typeof kinds)[number]) => string) =>
    `| ${name} | ${kinds.map(of).join(' | ')} |`;
  const whole = (value: number) => Math.round(value / 1000).toLocaleString('en');
  return [
    '| workers | of Spot | on demand |',
    '| --- | ---: | ---: |',
    line('an instance, with its disk and its address, dollars a month', ({ dollars }) => dollars.toFixed(0)),
    line('its audits a month, at most, thousands', ({ audits }) => whole(audits)),
    line('dollars per 1,000 audits, if it always audits', ({ dollars, audits }) =>
      ((1000 * dollars) / audits).toFixed(3),
    ),
    line('runs a month in one region from which it is cheaper, thousands', ({ paysFrom }) => whole(paysFrom)),
  ].join('\n');
};

/** The tables of each document that follow from the rows and from the measured use of a run. */
export const tablesOf = (): Record<string, string[]> => ({
  'infra/DEPLOY.md': [idleTable(), runsTable()],
  'infra/SCALE.md': [wallsTable('prod', 1), wallsTable('large', 6), workersTable()],
});

/** Writes the tables into their documents, in place of those with the same first cell. */
export const writeTables = (): void => {
  for (const [file, tables] of Object.entries(tablesOf())) {
    let text = readFileSync(file, 'utf8');
    for (const each of tables) {
      const [, first = ''] = each.split('|').map((cell) => cell.trim());
      const found = new RegExp(`^\\| ${first} +\\|.*\\n(\\|.*\\n?)+`, 'm');
      if (!found.test(text)) throw new Error(`${file} has no table that begins with "${first}".`);
      text = text.replace(found, () => `${each}\n`);
    }
    writeFileSync(file, text);
  }
};
