import { type Checked, checkData } from '../local/backup/check-data.ts';
import { commandLine } from '../local/command-line.ts';
import { commonOptions, parseArguments, refuseEnvironment } from './arguments.ts';
import { existingFolder, runCommand } from './table.ts';

const usage = `${commandLine('check-data', '')}

Looks for damage in the data of this machine's service (DATA_DIR, .local), also while the service runs: pages of the
database, items that are not as their schemas say, entries of the indexes, and reports and secrets without an item or
the reverse. Changes nothing.

Lists each fault on a line. Exit code 0: no fault. 1: faults, or nothing to look at. 2: wrong arguments.
`;

const countsOf = ({ items, entries, objects }: Checked): string =>
  `Looked at all pages, ${items} items, ${entries} entries of indexes, and ${objects} objects.`;

/** `npm run check-data`: looks for damage in the data folder. Faults go to stdout, the count to stderr. */
await runCommand({
  command: 'check-data',
  run: async ({ print, note }) => {
    const { environment, help } = parseArguments({ args: process.argv.slice(2), options: commonOptions }).values;
    if (help) return print(usage);
    refuseEnvironment(environment);
    const dataDir = existingFolder();
    const checked = checkData(dataDir, new Date());
    for (const fault of checked.faults) await print(`${fault}\n`);
    note(countsOf(checked));
    if (checked.items === 0) throw new Error(`${dataDir} has no item, so nothing was checked. Is it the right folder?`);
    if (checked.faults.length > 0)
      throw new Error(
        `${dataDir} has ${checked.faults.length} fault(s). A fault of a check goes with it: erase that check. For damaged pages, restore a backup: ${commandLine('restore', 'FILE')}`,
      );
    note('No fault.');
  },
});
