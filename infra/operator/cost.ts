import { parseArgs } from 'node:util';
import { Streams } from '../../clients/cli/streams.ts';
import { idleTable, runsTable, writeTables } from './cost-tables.ts';

/*
 * `npm run cost`: prints the estimated cost of each environment without users, and of 1,000 runs in prod, from list prices
 * and the measured use of a run. Change a number in infra/operator/cost-model.ts and run it again. With `--write` it also
 * writes the tables of infra/DEPLOY.md and infra/SCALE.md that follow from these numbers.
 */
const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const { print, note, end } = new Streams();
const text = `Estimated dollars a month of an environment without users.

${idleTable()}

Estimated dollars per 1,000 runs in prod. Each column is a number of runs a month.

${runsTable()}
`;
if (values.write) writeTables();
await print(text).catch(({ message }) => note(message));
process.exitCode = await end(0, 1);
