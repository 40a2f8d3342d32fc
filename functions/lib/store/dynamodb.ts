import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import type { StoreEnv } from '../../../shared/env.ts';
import { answeredWithin } from '../aws-client.ts';

/** The table of the service, and a client that several stores may share. */
export type Db = { client: DynamoDBDocumentClient; table: string };

export const openDb = ({ TABLE_NAME: table, HOME_REGION: region }: StoreEnv): Db => {
  const client = new DynamoDBClient({ region, requestHandler: answeredWithin(2500) });
  return { table, client: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }) };
};

/** Undefined where the condition of a write did not hold. */
export const onlyIf = async <T>(write: Promise<T>): Promise<T | undefined> => {
  try {
    return await write;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
};

/** Parses a stored item; one that does not parse is our fault, and named. */
export const parse = <T>(schema: z.ZodType<T>, item: Record<string, unknown>): T => {
  const parsed = schema.safeParse(item);
  if (parsed.success) return parsed.data;
  throw new Error(`the stored item ${item.pk} ${item.sk} does not parse: ${z.prettifyError(parsed.error)}`);
};
