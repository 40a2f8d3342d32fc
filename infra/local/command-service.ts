import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { removeStale } from '../../functions/auditor/host/stale-entries.ts';
import { endOnFault, STOP_MS } from './last-resort.ts';
import { startService } from './service.ts';
import { settingsFrom } from './start-settings.ts';

/** Names of temporary data folders begin with this and the pid of their command. */
const PREFIX = 'page-audit-command-';

/**
 * Runs the service for the command that started this process. The service ends when the channel to the command closes, also if
 * the command is killed. The first argument is the data folder. With the second one, `temporary`, the service creates the
 * folder and deletes it at its end. It also deletes folders of commands that were killed together with their services.
 */
const main = async (dataDir: string, isTemporary: boolean): Promise<void> => {
  const commandEnded = once(process, 'disconnect');
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.on(signal, () => {}); // the command decides
  if (isTemporary) {
    await removeStale(dirname(dataDir), PREFIX);
    await mkdir(dataDir, { mode: 0o700 });
  }
  const remove = async () => {
    if (isTemporary) await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const local = { HOST: '127.0.0.1', PORT: '0', AUTH: 'open', CORS_ORIGINS: '', DATA_DIR: dataDir };
    const service = await startService(settingsFrom({ ...process.env, ...local }), () => {});
    endOnFault(() => service.stop().finally(remove));
    if (process.connected) process.send?.({ url: service.url });
    if (process.connected) await commandEnded;
    setTimeout(() => remove().finally(() => process.exit(1)), STOP_MS).unref();
    await service.stop();
  } finally {
    await remove();
  }
};

const [dataDir = '', kind] = process.argv.slice(2);
await main(dataDir, kind === 'temporary').catch((error: Error) => {
  if (process.connected) process.send?.({ error: error.message });
  process.exitCode = 1;
});
if (process.connected) process.disconnect();
process.exit();
