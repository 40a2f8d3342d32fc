import { Streams } from '../../clients/cli/streams.ts';
import { type Environment, environmentOf, environments } from '../environments.ts';
import { idleMonth, month, sum } from './cost-model.ts';

/*
 * `npm run cost`: prints the estimated cost of each environment without users, and of 1,000 runs in prod, from list prices
 * and the measured use of a run. Change a number in infra/operator/cost-model.ts and run it again.
 */

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

const idleTable = (): string => {
  const names = Object.keys(environments);
  return table(
    'part',
    names,
    names.map((name) => idleMonth(environmentOf(name))),
    2,
  );
};

const runsTable = (environment: Environment): string => {
  const perThousand = (runs: number) =>
    Object.fromEntries(Object.entries(month(environment, runs)).map(([name, each]) => [name, (each / runs) * 1000]));
  return table(
    'service',
    volumes.map((runs) => runs.toLocaleString('en')),
    volumes.map(perThousand),
    3,
  );
};

const { print, note, end } = new Streams();
const text = `Estimated dollars a month of an environment without users.

${idleTable()}

Estimated dollars per 1,000 runs in prod. Each column is a number of runs a month.

${runsTable(environmentOf('prod'))}
`;
await print(text).catch(({ message }) => note(message));
process.exitCode = await end(0, 1);
