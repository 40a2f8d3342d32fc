import { AsyncLocalStorage } from 'node:async_hooks';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { vi } from 'vitest';
import { partitions } from '../../shared/service/partitions.ts';

type Input = {
  IndexName?: string;
  Key?: { pk: string };
  Item?: { pk: string };
  UpdateExpression?: string;
  ConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
};
type Use = { file: string; partition: string; action: string; attributes: string[] };

const current = new AsyncLocalStorage<string>();

/** Runs a function of the service under the name of its file. */
export const as = <T>(file: string, work: () => Promise<T>): Promise<T> => current.run(file, work);

/** Records what each function does with the items of the table. */
export const recordTableUse = (): Use[] => {
  const uses: Use[] = [];
  const send = DynamoDBDocumentClient.prototype.send;
  vi.spyOn(DynamoDBDocumentClient.prototype, 'send').mockImplementation(function (
    this: DynamoDBDocumentClient,
    ...call: unknown[]
  ) {
    const file = current.getStore();
    const [command] = call as [{ input: Input }];
    if (file && !command.input.IndexName) uses.push({ file, ...useOf(command) });
    return Reflect.apply(send, this, call);
  });
  return uses;
};

const useOf = (command: { input: Input }): Omit<Use, 'file'> => {
  const { Key, Item, ExpressionAttributeValues: values = {} } = command.input;
  const key = String((Key ?? Item)?.pk ?? values[':key0']);
  const [partition = key] = Object.entries(partitions).find(([, begin]) => key.startsWith(begin)) ?? [];
  const name = command.constructor.name.replace('Command', '');
  const action = name === 'Query' ? name : `${name}Item`;
  return { partition, action, attributes: Key ? [...Object.keys(Key), ...attributesOf(command.input)] : [] };
};

/** Returns the attributes that the expressions of a request name. Of a path, that is the first name. */
const attributesOf = ({ UpdateExpression = '', ConditionExpression = '', ...input }: Input): string[] =>
  [...`${UpdateExpression} ${ConditionExpression}`.matchAll(/(?<![\w#.])#\w+/g)].map(
    ([placeholder]) => input.ExpressionAttributeNames?.[placeholder] as string,
  );
