import { Session } from 'node:inspector/promises';
import { openDb } from '../../functions/lib/store/dynamodb.ts';
import { keyStore } from '../../functions/lib/store/keys.ts';
import { startAws } from '../../infra/local/aws.ts';
import { importApi, startGateway } from '../../infra/local/gateway.ts';
import { ReadEnv } from '../../shared/env.ts';
import { allRegions } from '../../shared/regions.ts';

/** What the bench sends; a profile is the answer to `stop`. */
export type Command = 'start' | 'stop';

/** More than one owner may create in the time of a load. */
const OWNERS = 20;

/*
 * The API alone, on the engines of the local runner: checks are recorded and their jobs queued, and nobody takes them.
 * A child of the bench: tells its URL once it listens, with keys of several owners where it asks for one, and ends when the
 * bench does.
 */
const [dataDir, AUTH] = process.argv.slice(2) as [string, 'open' | 'keys'];
const aws = await startAws({ dataDir, regions: allRegions });
Object.assign(process.env, aws.env, {
  AUTH,
  TARGETS: 'local',
  POWERTOOLS_METRICS_DISABLED: 'true',
  POWERTOOLS_LOG_LEVEL: 'ERROR',
});
const gateway = await startGateway({ port: 0, functions: await importApi() });

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.setSamplingInterval', { interval: 500 }); // microseconds
process.on('message', async (command: Command) => {
  if (command === 'start') await session.post('Profiler.start');
  else process.send?.(await session.post('Profiler.stop'));
});
process.on('disconnect', () => process.exit(0));

const store = keyStore(openDb(ReadEnv.parse(process.env)));
const owners = AUTH === 'keys' ? Array.from({ length: OWNERS }, (_, i) => `owner-${i}`) : [];
const keys = owners.map(async (owner) => {
  const asked = { owner, name: 'bench', scopes: ['checks:write' as const], plan: 'large' as const, expiresAt: null };
  return (await store.create(asked, new Date())).text;
});
process.send?.({ url: gateway.url, keys: await Promise.all(keys) });
