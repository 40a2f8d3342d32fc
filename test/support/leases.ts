import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { openTable } from '../../infra/local/dynamodb.ts';

/** Expires every lease in the data folder of a stopped service, as if its time had passed. Returns how many there were. */
export const expireLeases = async (dataDir: string): Promise<number> => {
  const { env, close } = await openTable(dataDir);
  const { AWS_ENDPOINT_URL_DYNAMODB: endpoint = '', AWS_REGION: region = '', TABLE_NAME: TableName } = env;
  const credentials = { accessKeyId: env.AWS_ACCESS_KEY_ID ?? '', secretAccessKey: env.AWS_SECRET_ACCESS_KEY ?? '' };
  const client = new DynamoDBClient({ endpoint, region, credentials });
  const table = DynamoDBDocumentClient.from(client);
  const { Items: held = [] } = await table.send(
    new ScanCommand({ TableName, FilterExpression: 'attribute_exists(lease)', ConsistentRead: true }),
  );
  for (const { pk, sk } of held) {
    await table.send(
      new UpdateCommand({
        TableName,
        Key: { pk, sk },
        UpdateExpression: 'SET lease.#until = :past, dueAt = :past',
        ExpressionAttributeNames: { '#until': 'until' },
        ExpressionAttributeValues: { ':past': new Date(0).toISOString() },
      }),
    );
  }
  client.destroy();
  await close();
  return held.length;
};
