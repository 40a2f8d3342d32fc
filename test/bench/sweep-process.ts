import { Session } from 'node:inspector/promises';
import { sweep } from '../../functions/sweep.ts';
import { storeWaitingRuns } from '../support/waiting-runs.ts';
import { later, startWorld } from '../support/world.ts';
import { partsOf } from './profile.ts';
import type { Swept } from './sweep.ts';

/*
 * Child process of the bench: the sweeper on the engines of `npm start`. It stores runs whose jobs were sent an hour ago. It
 * sweeps them while their jobs wait, and an hour later when their jobs are lost, and sends the figures to the bench.
 */
const [dataDir = '', count = ''] = process.argv.slice(2);
await storeWaitingRuns(dataDir, Number(count));
await using world = await startWorld({ POWERTOOLS_LOG_LEVEL: 'ERROR' }, { dataDir });
const HOUR_AND_MORE = 3700;

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.setSamplingInterval', { interval: 500 }); // microseconds

let handled = 0;
/** Counts the calls that succeed, one for each item that the sweep handles. */
const counted =
  <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
  async (...args: Args): Promise<Result> => {
    const result = await call(...args);
    if (result !== false) handled++;
    return result;
  };

/** Sweeps once, some hours after the jobs were sent. Items beyond the sweep's budget are left. */
const measure = async (due: string, hours: number, deps: Pick<typeof world, 'waiting' | 'queues'>): Promise<Swept> => {
  handled = 0;
  const now = later(new Date(), hours * HOUR_AND_MORE);
  await session.post('Profiler.start');
  const startedAt = performance.now();
  await sweep({ ...world, ...deps, now: () => now })({});
  const seconds = (performance.now() - startedAt) / 1000;
  const { profile } = await session.post('Profiler.stop');
  return { due, items: handled, seconds, parts: partsOf(profile) };
};

const { queues, waiting } = world;
process.send?.([
  await measure('its job waits', 1, {
    waiting: { ...waiting, postpone: counted(waiting.postpone) },
    queues: { ...queues, count: async () => ({ waiting: Number(count), received: 0 }) },
  }),
  await measure('its job is lost', 2, { waiting, queues: { ...queues, send: counted(queues.send) } }),
]);
