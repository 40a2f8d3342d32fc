import { isDeepStrictEqual } from 'node:util';
import { expect, inject, test } from 'vitest';
import { FULL } from '../support/full.ts';
import { compareTables, type Judge, type Judged, type Options, plainAnswer } from '../support/judge-table.ts';
import { unlessMissing } from '../support/skips.ts';
import { TableName } from '../support/table-calls.ts';
import { tableDefinition } from '../support/table-definition.ts';
import { MISSING } from './start-moto.ts';

/** `npm test` runs the short form. */
const SEQUENCES = FULL ? 2000 : process.env.MOTO === '1' ? 200 : 20;
const missing = unlessMissing(inject('motoUrl') ? undefined : MISSING);

/** Sends a request to moto's server. */
const moto: Judge = async ({ operation, input }) => {
  const response = await fetch(inject('motoUrl'), {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
      authorization:
        'AWS4-HMAC-SHA256 Credential=judge/20310101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=none',
    },
    body: JSON.stringify(input),
  });
  const text = await response.text();
  // A fault of moto itself is a page.
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : { message: text } };
};

/**
 * Requests that moto is known to answer wrongly. It does not know all rules of expressions, so dynalite judges them. It takes
 * a missing attribute for NULL. It stores the new item of an update that it refuses, and returns the keys among the updated
 * attributes of a new item. It calls a full page the last one if no other item follows.
 */
const isOutOfCourt: Options['isOutOfCourt'] = ({ operation, input }, ours, theirs) =>
  (ours.body.__type === 'ValidationException' && !isDeepStrictEqual(plain(ours), plain(theirs))) ||
  (operation === 'UpdateItem' && ours.status !== 200) ||
  theirs.status === 500 ||
  hasNull(input.ExpressionAttributeValues) ||
  Boolean(ours.body.LastEvaluatedKey && !theirs.body.LastEvaluatedKey) ||
  (input.ReturnValues === 'UPDATED_NEW' && 'pk' in ((theirs.body.Attributes as object | undefined) ?? {}));

const hasNull = (values: unknown): boolean => Object.values(values ?? {}).some((value) => value.NULL || value.B === '');

/** Returns an answer without the capacity, which moto adds unasked, and with plain numbers, which moto writes like `5.0`. */
const plain = (answer: Judged) => {
  const { status, body } = plainAnswer(answer);
  const { ConsumedCapacity: _, ...rest } = body;
  const text = JSON.stringify(rest, (name, value) => (name === 'N' ? String(Number(value)) : value));
  return { status, body: JSON.parse(text) };
};

test('random sequences of requests get the same answers as from moto', missing, async () => {
  const created = await moto({ operation: 'CreateTable', input: tableDefinition(TableName) });
  expect(created.status, JSON.stringify(created.body)).toBe(200);
  await compareTables(moto, { sequences: SEQUENCES, isOutOfCourt, plain });
});
