import { test } from 'vitest';
import type { TableCall } from '../../infra/local/table/table.ts';
import type { Item } from '../../infra/local/table/values.ts';
import { startDynalite } from '../support/dynalite.ts';
import { FULL } from '../support/full.ts';
import { compareTables } from '../support/judge-table.ts';
import { TableName } from '../support/table-calls.ts';

const SEQUENCES = FULL ? 3000 : 300;

/** Dynalite has an order for values that have none in DynamoDB, such as booleans. */
const comparesUnordered = ({ input }: TableCall): boolean => {
  const { ExpressionAttributeValues: given = {}, ConditionExpression, FilterExpression } = input;
  const text = `${ConditionExpression} ${FilterExpression}`;
  const ordered = [...text.matchAll(/(?:[<>]=?|BETWEEN) (:[ab])/g)].map(([, name]) => (given as Item)[name as string]);
  return ordered.some((value) => !value || !/^[SNB]$/.test(Object.keys(value).join()));
};

test('random sequences of requests get the same answers as from dynalite', async () => {
  await compareTables(await startDynalite(TableName), {
    sequences: SEQUENCES,
    // Dynalite accepts empty keys of indexes.
    isOutOfCourt: (call, { body }) =>
      comparesUnordered(call) || /cannot contain an empty string value/.test(String(body.message)),
  });
}, 600_000);
