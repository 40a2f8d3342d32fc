import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { tableSettings } from '../../infra/settings.ts';

/** Returns the request that creates the table in another implementation of DynamoDB. */
export const tableDefinition = (TableName: string) => {
  const { partitionKey, sortKey, indexes } = tableSettings;
  const strings = [partitionKey, sortKey, ...indexes.flatMap((index) => [index.partitionKey, index.sortKey])];
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: strings.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: keys(partitionKey, sortKey),
    GlobalSecondaryIndexes: indexes.map((index) => ({
      IndexName: index.name,
      KeySchema: keys(index.partitionKey, index.sortKey),
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: [...index.projects] },
    })),
  } satisfies CreateTableCommandInput;
};

const keys = (partition: string, sort: string) => [
  { AttributeName: partition, KeyType: 'HASH' as const },
  { AttributeName: sort, KeyType: 'RANGE' as const },
];
