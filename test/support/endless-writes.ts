import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { startWorld } from './world.ts';

// Updates 50 items of a data folder without an end, and sends a message after some hundred updates.
const { db } = await startWorld({}, { dataDir: process.argv[2] as string });
let writes = 0;
const write = async (pk: string) => {
  for (;;) {
    const update = new UpdateCommand({
      TableName: db.table,
      Key: { pk, sk: 'CHECK' },
      UpdateExpression: 'SET #open = :open, #dueAt = :at',
      ExpressionAttributeNames: { '#open': 'open', '#dueAt': 'dueAt' },
      ExpressionAttributeValues: { ':open': 'OPEN', ':at': String(++writes) },
    });
    await db.client.send(update);
    if (writes === 500) process.send?.('writing');
  }
};
for (let i = 0; i < 50; i++) void write(`CHECK#${i}`);
