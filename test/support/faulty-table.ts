import { randomUUID } from 'node:crypto';
import { afterAll, afterEach } from 'vitest';
import { openDb } from '../../functions/lib/store/dynamodb.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { startWorld } from './world.ts';

/** Starts a world and a proxy before its table. A `newDb` uses the proxy, `world.db` doesn't. */
export const startFaultyTable = async () => {
  const world = await startWorld();
  await world.find(randomUUID()).catch(() => {}); // the client reads its endpoint with this request, before the proxy
  const isWrite = (headers: Record<string, unknown>) => /(Put|Update|Delete)Item/.test(String(headers['x-amz-target']));
  const dynamodb = await startFaultProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB as string, isWrite);
  process.env.AWS_ENDPOINT_URL_DYNAMODB = dynamodb.url;
  const { TABLE_NAME = '', HOME_REGION = '' } = world.env;
  afterEach(() => dynamodb.heal());
  afterAll(async () => {
    await dynamodb.stop();
    await world.stop();
  });
  /** Each test needs a new client, because a client that has failed often stops retrying. */
  const newDb = () => openDb({ TABLE_NAME, HOME_REGION, OPEN_SHARDS: 1 });
  return { world, dynamodb, newDb };
};
