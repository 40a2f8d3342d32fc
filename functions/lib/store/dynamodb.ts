import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import type { StoreEnv } from '../../../shared/env.ts';
import { answeredWithin } from '../aws-client.ts';

/** A client of the table's region, which several stores may share. */
export const documents = ({ HOME_REGION: region }: Pick<StoreEnv, 'HOME_REGION'>): DynamoDBDocumentClient => {
  const client = new DynamoDBClient({ region, requestHandler: answeredWithin(2500) });
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
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
