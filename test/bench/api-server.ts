import { Session } from 'node:inspector/promises';
import { openDb } from '../../functions/lib/store/dynamodb.ts';
import { keyStore } from '../../functions/lib/store/keys.ts';
import { ReadEnv } from '../../shared/service/env.ts';
import { startFunctions } from '../support/gateway.ts';
import { startEngines } from '../support/world.ts';
import { storeListedChecks } from './listed-checks.ts';

/** Message from the bench. The server answers `stop` with a CPU profile. */
export type Command = 'start' | 'stop';

/** Number of owners with a key. One owner's limit would end a long load before its time. */
const OWNERS = 23;

/*
 * Child process of the bench: the API alone, on the engines of `npm start`. It stores checks and queues their jobs, and
 * nothing receives the jobs. It sends its URL and its keys to the bench once it listens, and exits with the bench.
 */
const [dataDir, AUTH, listed] = process.argv.slice(2) as [string, 'open' | 'keys', string];
await startEngines({ AUTH, TARGETS: 'local', POWERTOOLS_LOG_LEVEL: 'ERROR' }, { dataDir });
const gateway = await startFunctions();

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.setSamplingInterval', { interval: 500 }); // microseconds
process.on('message', async (command: Command) => {
  if (command === 'start') await session.post('Profiler.start');
  else process.send?.(await session.post('Profiler.stop'));
});
process.on('disconnect', () => process.exit(0));

const db = openDb(ReadEnv.parse(process.env));
await storeListedChecks(db, Number(listed));
const store = keyStore(db);
const owners = AUTH === 'keys' ? Array.from({ length: OWNERS }, (_, i) => `owner-${i}`) : [];
const keys = owners.map(async (owner) => {
  const key = { owner, name: 'bench', scopes: ['checks:write' as const], plan: 'large' as const, expiresAt: null };
  return (await store.create(key, new Date())).text;
});
process.send?.({ url: gateway.url, keys: await Promise.all(keys) });
