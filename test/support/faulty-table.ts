import { afterAll, afterEach } from 'vitest';
import { openDb } from '../../functions/lib/store/dynamodb.ts';
import { faultsBefore, isTableWrite } from './faulty-services.ts';
import { startWorld } from './world.ts';

/** Starts a world and faults before its table. A `newDb` meets them, `world.db` doesn't. */
export const startFaultyTable = async () => {
  const world = await startWorld();
  const dynamodb = faultsBefore(world.aws.handle, isTableWrite);
  await world.aws.connect(dynamodb.handle);
  const { TABLE_NAME = '', HOME_REGION = '' } = world.env;
  afterEach(() => dynamodb.heal());
  afterAll(() => world.stop());
  /** Each test needs a new client, because a client that has failed often stops retrying. */
  const newDb = () => openDb({ TABLE_NAME, HOME_REGION, OPEN_SHARDS: 1 });
  return { world, dynamodb, newDb };
};
