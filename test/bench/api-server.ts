import { Session } from 'node:inspector/promises';
import { startAws } from '../../infra/local/aws.ts';
import { importApi, startGateway } from '../../infra/local/gateway.ts';
import { allRegions } from '../../shared/regions.ts';

/** What the bench sends; a profile is the answer to `stop`. */
export type Command = 'start' | 'stop';

/*
 * The API alone, on the engines of the local runner: checks are recorded and their jobs queued, and nobody takes them.
 * A child of the bench: tells its URL once it listens, and ends when the bench does.
 */
const [dataDir] = process.argv.slice(2) as [string];
const aws = await startAws({ dataDir, regions: allRegions });
Object.assign(process.env, aws.env, {
  AUTH: 'open',
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
process.send?.({ url: gateway.url });
