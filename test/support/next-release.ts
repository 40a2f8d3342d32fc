import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

/** Changes of a file: each text is replaced by the one after it. */
type Changes = readonly (readonly [string, string])[];

/**
 * The next release, as a change of format would make it: a run and its job have `requestId` instead of `correlationId`.
 * It reads both names, and writes the one of the table's format.
 */
const nextRelease: Record<string, Changes> = {
  'functions/lib/store/format.ts': [['oldest: 1, newest: 1', 'oldest: 1, newest: 2']],
  'functions/lib/store/items.ts': [
    [
      'withNulls(StoredRun)',
      'z.preprocess((item: any) => ({ correlationId: item.requestId, ...item }), withNulls(StoredRun))',
    ],
    [
      'export type CheckItem =',
      `export const runIn = async ({ format }: Pick<Db, 'format'>, { correlationId, ...run }: RunItem) =>
  (await format()) === 1 ? { ...run, correlationId } : { ...run, requestId: correlationId };
export type CheckItem =`,
    ],
  ],
  'functions/lib/store/checks.ts': [
    ['withLabelsAsText(run)', 'withLabelsAsText(await runIn(db, run))'],
    ['  runKey,\n', '  runIn,\n  runKey,\n'],
  ],
  'functions/lib/store/due.ts': [['dueStore = (db: Db) => ({\n', 'dueStore = (db: Db) => ({\n  format: db.format,\n']],
  'shared/service/audit-job.ts': [
    ['export const AuditJob = z.object({', 'const AuditJobOf2 = z.object({'],
    [
      'export type AuditJob',
      `export const AuditJob = z.preprocess((job: any) => ({ correlationId: job.requestId, ...job }), AuditJobOf2);
export type AuditJob`,
    ],
  ],
  'functions/lib/queue/dispatch.ts': [
    ['deps.queues.send(jobOf(run))', 'deps.queues.send(await messageOf(deps, run))'],
    [
      'export const jobOf =',
      `const messageOf = async ({ due }: any, run: RunItem) => {
  const { correlationId, ...job } = jobOf(run);
  return (await due.format()) === 1 ? { ...job, correlationId } : ({ ...job, requestId: correlationId } as any);
};
export const jobOf =`,
    ],
  ],
};

/** Returns a function that imports a file of the next release, which is a changed copy of this one. */
export const copyNextRelease = () => {
  const folder = temporaryFolder('next-release');
  for (const name of ['functions', 'infra', 'shared', 'clients', 'test/support', 'package.json'])
    cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  for (const [path, changes] of Object.entries(nextRelease)) {
    const file = join(folder, path);
    let text = readFileSync(file, 'utf8');
    for (const [before, after] of changes) {
      if (!text.includes(before))
        throw new Error(`${path} has no "${before}". Write the trial change for its new text.`);
      text = text.replace(before, () => after);
    }
    writeFileSync(file, text);
  }
  return (path: string) => import(join(folder, path));
};
