import fc from 'fast-check';
import { expect } from 'vitest';
import { Database } from '../../infra/local/database.ts';
import { ServiceError } from '../../infra/local/table/errors.ts';
import { Table, type TableCall } from '../../infra/local/table/table.ts';
import type { Value } from '../../infra/local/table/values.ts';
import { TableName, tableCalls } from './table-calls.ts';

/** An answer to a request of DynamoDB's API. */
export type Judged = { status: number; body: Record<string, unknown> };
/** Another implementation of DynamoDB, which has the service's table. */
export type Judge = (call: TableCall) => Promise<Judged>;

export type Options = {
  sequences: number;
  /** Returns true for a request that the other implementation is known to answer wrongly. */
  isOutOfCourt: (call: TableCall, ours: Judged, theirs: Judged) => boolean;
  /** Returns an answer in the form in which both are compared. */
  plain?: (answer: Judged) => unknown;
};

/** Rounds after which too few equal answers are a failure. */
const MAX_ROUNDS = 4;

/** Sends random sequences of requests to our table and another one. Throws at the first answer that differs. */
export const compareTables = async (judge: Judge, { sequences, isOutOfCourt, plain = plainAnswer }: Options) => {
  const clear = async () => {
    const { body } = await judge({ operation: 'Scan', input: { TableName } });
    for (const { pk, sk } of body.Items as Record<string, Value>[])
      await judge({ operation: 'DeleteItem', input: { TableName, Key: { pk, sk } } });
  };
  let compared = 0;
  let refused = 0;
  const property = fc.asyncProperty(fc.array(tableCalls, { minLength: 1, maxLength: 12 }), async (sequence) => {
    const database = new Database({});
    const table = new Table(database, TableName);
    await clear();
    for (const call of sequence) {
      const theirs = await judge(structuredClone(call));
      const ours = answerOf(table, structuredClone(call));
      if (isOutOfCourt(call, ours, theirs)) {
        if (/^(Get|Query)/.test(call.operation)) continue;
        break; // the tables may differ now
      }
      expect(plain(ours), JSON.stringify(call)).toEqual(plain(theirs));
      compared++;
      if (ours.status !== 200) refused++;
    }
    await database.close();
  });
  // A known fault of the other implementation ends a sequence, so a few sequences may compare too little.
  for (let round = 0; round < MAX_ROUNDS && compared <= sequences; round++)
    await fc.assert(property, { numRuns: sequences });
  console.log(`${compared} equal answers, of which ${refused} are refusals`);
  expect(compared).toBeGreaterThan(sequences);
};

const answerOf = (table: Table, call: TableCall): Judged => {
  try {
    return { status: 200, body: JSON.parse(JSON.stringify(table.answer(call))) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { status: error.status, body: { __type: error.type, message: error.message } };
  }
};

/** Returns an answer without the namespace and the message of its error, which no store reads. */
export const plainAnswer = ({ status, body }: Judged): { status: number; body: Record<string, unknown> } =>
  JSON.parse(
    JSON.stringify({ status, body }, (name, value) => {
      if (name === '__type') return String(value).replace(/^.*#/, '');
      return /^message$/i.test(name) ? undefined : value;
    }),
  );
