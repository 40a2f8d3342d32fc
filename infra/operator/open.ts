import type { Db } from '../../functions/lib/store/dynamodb.ts';
import { openRuns } from '../../functions/lib/store/open.ts';
import { allRegions } from '../../shared/regions.ts';
import { commandLine } from '../local/command-line.ts';
import { commonOptions, parseArguments } from './arguments.ts';
import { columns } from './columns.ts';
import { headings, rowsOf } from './open-runs.ts';
import { runCommand, withTable } from './table.ts';

const usage = `${commandLine('open', '[--environment ENVIRONMENT]')}

Lists the unfinished runs of each region, oldest first, to find those that are stuck.

  --environment  trial, dev, staging, prod or large: runs on AWS, with the credentials that the AWS CLI uses;
                 by default runs on this machine, in DATA_DIR (.local), whether or not the service runs

  AGE       time since the run was created
  SENT      how often its job was sent
  ATTEMPTS  audits that ended, and the error code of the newest one if it failed
  LOST      audits that were lost with their process; after five of them the run fails as abandoned
  LEASE     end of the right of the process that audits the run; none: no process audits it
  DUE       when the sweeper looks at the run; long ago: the sweeper fails on it (its log says why)
`;

const regionRows = async (db: Db, region: (typeof allRegions)[number]) =>
  rowsOf(region, await openRuns(db, region), new Date());

/** `npm run open`: lists the unfinished runs. Results go to stdout, messages to stderr. */
await runCommand({
  command: 'open',
  rights: 'dynamodb:Query on the index `open` and dynamodb:GetItem on the table',
  run: async ({ print, note }) => {
    const { environment, help } = parseArguments({ args: process.argv.slice(2), options: commonOptions }).values;
    if (help) return print(usage);
    await withTable(environment, async (db) => {
      const rows = (await Promise.all(allRegions.map((region) => regionRows(db, region)))).flat();
      if (rows.length === 0) return note('No run is open.');
      await print(`${columns([headings, ...rows])}\n`);
    });
  },
});
