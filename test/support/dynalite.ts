import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
// @ts-expect-error dynalite has no types
import dynalite from 'dynalite';
import type { TableCall } from '../../infra/local/table/table.ts';
import type { Judge, Judged } from './judge-table.ts';
import { tableDefinition } from './table-definition.ts';

/** Starts dynalite in memory with the service's table. Calls reach its HTTP handler without a socket. */
export const startDynalite = async (TableName: string): Promise<Judge> => {
  const server: Server = dynalite({ createTableMs: 0 });
  const call = ({ operation, input }: TableCall): Promise<Judged> =>
    new Promise((resolve) => {
      const headers = {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDB_20120810.${operation}`,
        'x-amz-date': '20310101T000000Z',
        authorization: 'AWS4-HMAC-SHA256 Credential=a, SignedHeaders=host, Signature=none',
      };
      const request = Object.assign(new EventEmitter(), { method: 'POST', url: '/', headers });
      const response = {
        statusCode: 200,
        setHeader: () => {},
        end: (text: string) => resolve({ status: response.statusCode, body: JSON.parse(text) }),
      };
      server.emit('request', request, response);
      request.emit('data', Buffer.from(JSON.stringify(input)));
      request.emit('end');
    });
  await call({ operation: 'CreateTable', input: tableDefinition(TableName) });
  for (let status = ''; status !== 'ACTIVE'; ) {
    await pause(1);
    const described = await call({ operation: 'DescribeTable', input: { TableName } });
    status = (described.body.Table as { TableStatus: string }).TableStatus;
  }
  return call;
};
