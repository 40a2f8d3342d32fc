import { resolve } from 'node:path';
import type { Streams } from '../../clients/cli/streams.ts';
import { type Environment, environmentOf } from '../environments.ts';
import { requireUndamaged } from '../local/backup/backup-file.ts';
import { restoreBackup } from '../local/backup/restore-backup.ts';
import { commandLine } from '../local/command-line.ts';
import { inMiB } from '../local/data-folder.ts';
import { commonOptions, parseArguments } from './arguments.ts';
import { awsCli } from './aws-cli.ts';
import { replaceTable, restoreBeside } from './restore-table.ts';
import { dataFolder, runCommand, UsageError } from './table.ts';

const usage = `${commandLine('restore', 'FILE')}
${commandLine('restore', '--environment ENVIRONMENT --at 2026-11-26T14:05:00Z')}
${commandLine('restore', '--environment ENVIRONMENT --replace')}

On one machine: writes the data of a backup into DATA_DIR (.local), which must be empty or not exist. Checks the whole
backup before. FILE is a file that the command backup has written.

On AWS: the writers must be paused. --at restores the table of a time of the last 35 days beside the damaged one, and
counts the items of both. --replace then deletes the damaged table, and restores the other one under its name. Each takes
from minutes to hours. If it ends halfway, repeat it. AWS keeps a backup of the deleted table for 35 days.

Checks that were erased since that time come back: erase them again.
`;

type Notes = Pick<Streams, 'note'>;

const onThisMachine = (file: string, { note }: Notes): void => {
  const dataDir = dataFolder();
  const copied = restoreBackup(resolve(file), dataDir, note);
  const { items, objects, bytes, at } = copied;
  note(
    `${dataDir} has the data of ${at.slice(0, 16).replace('T', ' ')} UTC: ${items} items and ${objects} objects (${inMiB(bytes)}). Start the service.`,
  );
  requireUndamaged(`${dataDir} is restored, but`, copied);
};

const onAws = async (environment: Environment, at: string | undefined, { note }: Notes): Promise<void> => {
  const { name, names } = environment;
  if (at === undefined) {
    await replaceTable(environment, { aws: awsCli, note });
    return note(`${names.table} is restored. Next: infra/RUNBOOK.md#the-table-is-damaged, step 4.`);
  }
  const { beside, items, now } = await restoreBeside(environment, at, { aws: awsCli, note });
  note(`${beside} has ${items} items, and ${names.table} has ${now}. Look at both.`);
  note(`To put ${beside} in its place: ${commandLine('restore', '--replace', name)}`);
};

/** `npm run restore`: writes a backup into an empty data folder, or restores a table on AWS. Messages go to stderr. */
await runCommand({
  command: 'restore',
  rights: 'to restore, back up, delete and describe the table, and ssm:GetParameter',
  run: async (streams) => {
    const { values, positionals } = parseArguments({
      args: process.argv.slice(2),
      options: { ...commonOptions, at: { type: 'string' }, replace: { type: 'boolean' } },
      allowPositionals: true,
    });
    const { environment, at, replace, help } = values;
    if (help) return streams.print(usage);
    const [file, ...rest] = positionals;
    if (environment === undefined) {
      if (!file || rest.length > 0 || at !== undefined || replace)
        throw new UsageError('Name one file, or an environment on AWS with --at or --replace.');
      return onThisMachine(file, streams);
    }
    if (file || (at === undefined) !== (replace === true))
      throw new UsageError('Use --environment with --at TIME or with --replace, and without a file.');
    if (at !== undefined && !(Date.parse(at) < Date.now()))
      throw new UsageError('--at: Use a time that has passed, for example 2026-11-26T14:05:00Z.');
    await onAws(environmentOf(environment), at, streams);
  },
});
