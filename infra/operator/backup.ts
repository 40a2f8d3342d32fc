import { resolve } from 'node:path';
import { requireUndamaged } from '../local/backup/backup-file.ts';
import { makeBackup } from '../local/backup/make-backup.ts';
import { commandLine, quoted, thisPlace } from '../local/command-line.ts';
import { inMiB } from '../local/data-folder.ts';
import { fileFrom } from './arguments.ts';
import { existingFolder, runCommand } from './table.ts';

const usage = `${commandLine('backup', 'FILE')}

Writes all data of this machine's service into one new file, also while the service runs: checks, runs, reports, keys,
schedules and webhooks, with their secrets. Only you can read the file. Keep it on another disk.

  FILE  a name that is not in use

The data are those of DATA_DIR (.local). To use a backup: ${commandLine('restore', 'FILE')}
On AWS, the table's point-in-time recovery and the bucket's versions are the backup (infra/RUNBOOK.md).
`;

/** `npm run backup`: writes a backup of this machine's data into one file. Messages go to stderr. */
await runCommand({
  command: 'backup',
  run: async ({ print, note }) => {
    const file = fileFrom(process.argv.slice(2));
    if (file === undefined) return print(usage);
    const dataDir = existingFolder();
    const copied = makeBackup(dataDir, resolve(file));
    const { items, objects, bytes } = copied;
    const elsewhere = { ...thisPlace(), dataDir: `${dataDir}-restored` }; // a restore needs an empty folder
    note(
      `${resolve(file)} has all data of ${dataDir}: ${items} items and ${objects} objects (${inMiB(bytes)}). It has secrets. To use it, for example in ${elsewhere.dataDir}: ${commandLine('restore', quoted(resolve(file)), undefined, elsewhere)}`,
    );
    requireUndamaged(`${resolve(file)} has all data of ${dataDir}, but`, copied);
  },
});
