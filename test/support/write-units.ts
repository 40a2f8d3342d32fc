import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { vi } from 'vitest';
import { sizeOfItem } from '../../infra/local/table/values.ts';
import { indexNames, tableSettings } from '../../infra/settings.ts';

type Item = Record<string, unknown>;
type Index = (typeof tableSettings.indexes)[number];
type Command = { constructor: { name: string }; input: { TableName: string; Key?: Item; Item?: Item } };
type Write = { pk: string; units: Record<'table' | Index['name'], number> };

/** Records the request units of each write, by DynamoDB's rules: one for each KB of the item, and of its entry in an index. */
export const recordWriteUnits = (): Write[] => {
  const writes: Write[] = [];
  const { send } = DynamoDBDocumentClient.prototype;
  const counted = async function (this: DynamoDBDocumentClient, ...call: [Command]) {
    const [command] = call;
    const { input } = command;
    if (!/^(Put|Update|Delete)Command$/.test(command.constructor.name)) return Reflect.apply(send, this, call);
    const { pk, sk } = (input.Key ?? input.Item) as Item;
    const get = new GetCommand({ TableName: input.TableName, Key: { pk, sk }, ConsistentRead: true });
    const read = async (): Promise<Item | undefined> => (await Reflect.apply(send, this, [get])).Item;
    const before = await read();
    try {
      return await Reflect.apply(send, this, call);
    } finally {
      const after = await read();
      const ofIndexes = tableSettings.indexes.map((index) => [index.name, unitsOfIndex(index, before, after)]);
      writes.push({ pk: String(pk), units: { ...Object.fromEntries(ofIndexes), table: larger(before, after) } });
    }
  };
  vi.spyOn(DynamoDBDocumentClient.prototype, 'send').mockImplementation(counted as never);
  return writes;
};

/** Returns the units of writes to the table and all its indexes. */
export const sumOf = (writes: readonly Write[]): number =>
  writes.reduce(
    (sum, { units }) => sum + ['table' as const, ...indexNames].reduce((all, name) => all + units[name], 0),
    0,
  );

/** DynamoDB moves an entry of an index by a deletion and a put. */
const unitsOfIndex = (index: Index, before: Item | undefined, after: Item | undefined): number => {
  const [from, to] = [entryOf(index, before), entryOf(index, after)];
  if (JSON.stringify(from) === JSON.stringify(to)) return 0;
  const isMove = from && to && [index.partitionKey, index.sortKey].some((key) => from[key] !== to[key]);
  return isMove ? kilobytes(from) + kilobytes(to) : larger(from, to);
};

const entryOf = ({ partitionKey, sortKey, projects }: Index, item: Item | undefined): Item | undefined => {
  if (item?.[partitionKey] === undefined || item[sortKey] === undefined) return undefined;
  const names = ['pk', 'sk', partitionKey, sortKey, ...projects].filter((name) => item[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, item[name]]));
};

const larger = (a: Item | undefined, b: Item | undefined): number => Math.max(1, kilobytes(a), kilobytes(b));
const kilobytes = (item: Item | undefined): number =>
  item ? Math.ceil(sizeOfItem(marshall(item) as never) / 1024) : 0;
