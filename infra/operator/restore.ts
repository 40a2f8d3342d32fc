import { resolve } from 'node:path';
import { restoreBackup } from '../local/backup/restore-backup.ts';
import { commandLine } from '../local/command-line.ts';
import { inMiB } from '../local/data-folder.ts';
import { fileFrom } from './arguments.ts';
import { dataFolder, runCommand } from './table.ts';

const usage = `${commandLine('restore', 'FILE')}

Writes the data of a backup into DATA_DIR (.local), which must be empty or not exist. Checks the whole backup before.

  FILE  a file that the command backup has written

Checks that were erased since the backup come back: erase them again.
`;

/** `npm run restore`: writes the data of a backup into an empty data folder. Messages go to stderr. */
await runCommand({
  command: 'restore',
  run: async ({ print, note }) => {
    const file = fileFrom(process.argv.slice(2));
    if (file === undefined) return print(usage);
    const dataDir = dataFolder();
    const { items, objects, bytes, at } = restoreBackup(resolve(file), dataDir, note);
    note(
      `${dataDir} has the data of ${at.slice(0, 16).replace('T', ' ')} UTC: ${items} items and ${objects} objects (${inMiB(bytes)}). Start the service with npm start.`,
    );
  },
});
