import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../environments.ts';
import { tableSettings } from '../settings.ts';
import { type Aws, ifMissing, type Shape } from './aws-cli.ts';
import { pausedSince } from './pausing/pause-writers.ts';

type Deps = { aws: Aws; note: (line: string) => void; wait?: (ms: number) => Promise<unknown> };
type Table = { aws: Aws; region: string; note: Deps['note']; wait: (ms: number) => Promise<unknown> };

const POLL_MS = 20_000;
/** Name of the backup of the restored table. */
const BACKUP = 'restored';

/**
 * Restores the table of a time beside the damaged one. Each step is done once: a repeated call goes on where the first one
 * ended. Returns the name of the restored table and the number of items in it and in the table of now.
 */
export const restoreBeside = async (environment: Environment, at: string, deps: Deps) => {
  const table = await ofPaused(environment, deps);
  const [source, beside] = [environment.names.table, `${environment.names.table}-restored`];
  if (await describe(table, beside)) deps.note(`${beside} exists, and is used. Delete it to restore another time.`);
  else
    await table.aws('dynamodb restore-table-to-point-in-time', table.region, {
      SourceTableName: source,
      TargetTableName: beside,
      RestoreDateTime: at,
    });
  await untilActive(table, beside);
  return { beside, items: await count(table, beside), now: await count(table, source) };
};

/**
 * Puts the restored table in the place of the damaged one, by a backup, because a table can't be renamed. A repeated call
 * goes on where the first one ended. The stack knows the table by its name, so it needs no change.
 */
export const replaceTable = async (environment: Environment, deps: Deps): Promise<void> => {
  const table = await ofPaused(environment, deps);
  const { aws, region } = table;
  const [name, beside] = [environment.names.table, `${environment.names.table}-restored`];
  const restored = await describe(table, beside);
  if (!restored)
    throw new Error(`There is no table ${beside}. Restore it first: this command with --at and without --replace.`);
  const arn = await backupOf(table, beside, restored.TableId);
  const current = await describe(table, name);
  // A table from the backup names it as its source, also while it is being restored.
  if (current && current.RestoreSummary?.SourceBackupArn !== arn) {
    await aws('dynamodb update-table', region, { TableName: name, DeletionProtectionEnabled: false });
    await aws('dynamodb delete-table', region, { TableName: name });
  }
  if (current?.RestoreSummary?.SourceBackupArn !== arn) {
    await until(table, `${name} is deleted`, async () => !(await describe(table, name)));
    await aws('dynamodb restore-table-from-backup', region, { TargetTableName: name, BackupArn: arn });
  }
  await untilActive(table, name);
  await configure(table, environment);
};

/** Sets what a restore leaves out, as CheckTable does. A deploy would not, because its template has not changed. */
const configure = async ({ aws, region, note }: Table, { names, deletionProtection }: Environment): Promise<void> => {
  const TableName = names.table;
  const TimeToLiveSpecification = { Enabled: true, AttributeName: tableSettings.timeToLive };
  const { TimeToLiveDescription } = await aws('dynamodb describe-time-to-live', region, { TableName });
  if (!/^ENABL/.test(TimeToLiveDescription?.TimeToLiveStatus))
    await aws('dynamodb update-time-to-live', region, { TableName, TimeToLiveSpecification });
  await aws('dynamodb update-continuous-backups', region, {
    TableName,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  });
  if (deletionProtection) await aws('dynamodb update-table', region, { TableName, DeletionProtectionEnabled: true });
  note(`${TableName} has its expiry, point-in-time recovery and protection again.`);
};

const ofPaused = async (environment: Environment, { aws, note, wait = sleep }: Deps): Promise<Table> => {
  if ((await pausedSince(environment, aws)) === undefined)
    throw new Error('The writers are not paused, so a restore would lose what they write meanwhile. Pause them first.');
  return { aws, region: environment.homeRegion, note, wait };
};

const describe = async ({ aws, region }: Table, TableName: string): Promise<Shape | undefined> =>
  (await aws('dynamodb describe-table', region, { TableName }).catch(ifMissing('ResourceNotFoundException')))?.Table;

/** Returns the number of items by a scan, because DescribeTable knows the number of some hours ago. */
const count = async ({ aws, region }: Table, TableName: string): Promise<number> =>
  (await aws('dynamodb scan', region, { TableName, Select: 'COUNT' })).Count;

/** Returns the backup of the restored table, and makes it if there is none. */
const backupOf = async (table: Table, TableName: string, id: string): Promise<string> => {
  const { aws, region } = table;
  const { BackupSummaries = [] } = await aws('dynamodb list-backups', region, { TableName });
  // A table of an earlier restore had the same name, and another id.
  const found = BackupSummaries.find(
    ({ BackupName, TableId }: Shape) => BackupName === BACKUP && TableId === id,
  )?.BackupArn;
  const BackupArn =
    found ?? (await aws('dynamodb create-backup', region, { TableName, BackupName: BACKUP })).BackupDetails.BackupArn;
  await until(table, `the backup of ${TableName} is complete`, async () => {
    const { BackupDescription } = await aws('dynamodb describe-backup', region, { BackupArn });
    return BackupDescription.BackupDetails.BackupStatus === 'AVAILABLE';
  });
  return BackupArn;
};

const untilActive = (table: Table, name: string) =>
  until(table, `${name} is ready`, async () => (await describe(table, name))?.TableStatus === 'ACTIVE');

/** Waits without a limit, because a restore takes from minutes to hours. */
const until = async ({ note, wait }: Table, what: string, isSo: () => Promise<boolean>): Promise<void> => {
  for (let polls = 0; !(await isSo()); polls++) {
    if (polls % 30 === 0) note(`Waiting until ${what} …`);
    await wait(POLL_MS);
  }
};
