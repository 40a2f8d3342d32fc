import type { CloseEnv } from '../../../shared/service/env.ts';
import { type Db, openDb } from '../store/dynamodb.ts';
import { deliveryQueue } from './delivery-queue.ts';

/**
 * Opens the table for a function that closes checks. It deletes the secrets of each closed check, and sends a message about
 * the check to the queue of deliveries.
 */
export const closingDb = (env: CloseEnv, secrets: Db['secrets']): Db => ({
  ...openDb(env, secrets),
  announceClosed: deliveryQueue(env).send,
});
