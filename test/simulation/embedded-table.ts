import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
// @ts-expect-error dynalite has no types
import dynalite from 'dynalite';
import { patchDynalite } from '../../infra/local/dynalite-fixes.ts';
import { addDynamodbRules } from '../../infra/local/dynamodb-rules.ts';
import { tableDefinition } from '../../infra/local/table-definition.ts';

export type Answer = { status: number; headers: Record<string, string>; body: Buffer };
export type Item = Record<string, unknown> & { pk: string; sk: string };
/** One call of the table's API, as the SDK sends it. */
export type TableCall = { operation: string; input: object & Record<string, unknown> };

export const TABLE = 'simulated-table';

/**
 * Starts dynalite in memory with the fixes, the rules and the table of the local service. Calls reach its HTTP handler without a
 * socket.
 */
export const startEmbeddedTable = async () => {
  patchDynalite();
  addDynamodbRules();
  const server: Server = dynalite({ createTableMs: 0 });

  const send = (headers: Record<string, string>, body: string): Promise<Answer> =>
    new Promise((resolve) => {
      const request = Object.assign(new EventEmitter(), { method: 'POST', url: '/', headers });
      const answered: Record<string, string> = {};
      const response = {
        statusCode: 200,
        setHeader: (name: string, value: unknown) => {
          answered[name.toLowerCase()] = String(value);
        },
        end: (text: string) => resolve({ status: response.statusCode, headers: answered, body: Buffer.from(text) }),
      };
      server.emit('request', request, response);
      request.emit('data', Buffer.from(body));
      request.emit('end');
    });

  const call = ({ operation, input }: TableCall): Promise<Answer> =>
    send(
      {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDB_20120810.${operation}`,
        'x-amz-date': '20310101T000000Z',
        authorization: 'AWS4-HMAC-SHA256 Credential=simulation, SignedHeaders=host, Signature=none',
      },
      JSON.stringify(input),
    );

  await call({ operation: 'CreateTable', input: tableDefinition(TABLE) });
  for (let status = ''; status !== 'ACTIVE'; ) {
    await pause(1);
    const described = await call({ operation: 'DescribeTable', input: { TableName: TABLE } });
    status = JSON.parse(described.body.toString()).Table.TableStatus;
  }

  return {
    call,
    /** Returns the item under a key, past every client. */
    read: async ({ pk, sk }: { pk: unknown; sk: unknown }): Promise<Item | undefined> => {
      const { body } = await call({
        operation: 'GetItem',
        input: { TableName: TABLE, Key: { pk, sk }, ConsistentRead: true },
      });
      const { Item } = JSON.parse(body.toString());
      return Item && (plain({ M: Item }) as Item);
    },
  };
};
export type EmbeddedTable = Awaited<ReturnType<typeof startEmbeddedTable>>;

export const textOf = (body: unknown): string =>
  typeof body === 'string' ? body : new TextDecoder().decode(body as Uint8Array);

/** Returns a value of DynamoDB's JSON as a plain one. */
export const plain = (value: Record<string, unknown>): unknown => {
  const [[type, content]] = Object.entries(value) as [[string, never]];
  if (type === 'N') return Number(content);
  if (type === 'NULL') return null;
  if (type === 'L') return (content as Record<string, unknown>[]).map(plain);
  if (type === 'M') {
    return Object.fromEntries(
      Object.entries(content as Record<string, Record<string, unknown>>).map(([name, each]) => [name, plain(each)]),
    );
  }
  return content;
};
