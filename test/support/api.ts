import { Client } from '../../clients/api/client.ts';
import { startFunctions } from './gateway.ts';
import { startWorld } from './world.ts';

/** Starts the API on engines in memory, and returns a client of it. Waits end at once when a run changes. */
export const startApi = async (env: Record<string, string> = {}) => {
  const world = await startWorld({ CHANGES_FROM: 'process', ...env });
  const { url, close } = await startFunctions();
  return {
    world,
    url,
    client: new Client({ url }),
    stop: async () => {
      await close();
      await world.stop();
    },
  };
};

export type Api = Awaited<ReturnType<typeof startApi>>;
