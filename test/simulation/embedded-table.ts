import { Database } from '../../infra/local/database.ts';
import { ServiceError } from '../../infra/local/table/errors.ts';
import { Table, type TableCall } from '../../infra/local/table/table.ts';

export type { TableCall };
export type Answer = { status: number; headers: Record<string, string>; body: Buffer };
export type Item = Record<string, unknown> & { pk: string; sk: string };

export const TABLE = 'simulated-table';

/** Opens the table of the local service in memory. It answers at once. */
export const startEmbeddedTable = () => {
  const table = new Table(new Database({}), TABLE);

  const answerTo = ({ operation, input }: TableCall): Answer => {
    const answer = (status: number, body: object) => ({
      status,
      headers: { 'content-type': 'application/x-amz-json-1.0' },
      body: Buffer.from(JSON.stringify(body)),
    });
    try {
      return answer(200, table.answer({ operation, input }));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return answer(error.status, { __type: error.type, message: error.message });
    }
  };

  return {
    call: async (call: TableCall): Promise<Answer> => answerTo(call),
    /** Returns the item under a key, past every client. */
    read: ({ pk, sk }: { pk: unknown; sk: unknown }): Item | undefined => {
      const { body } = answerTo({
        operation: 'GetItem',
        input: { TableName: TABLE, Key: { pk, sk }, ConsistentRead: true },
      });
      const { Item } = JSON.parse(body.toString());
      return Item && (plain({ M: Item }) as Item);
    },
  };
};
export type EmbeddedTable = ReturnType<typeof startEmbeddedTable>;

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
