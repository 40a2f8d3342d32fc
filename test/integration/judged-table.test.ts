import { test } from 'vitest';
import { startDynalite } from '../support/dynalite.ts';
import { FULL } from '../support/full.ts';
import { compareTables } from '../support/judge-table.ts';
import { TableName } from '../support/table-calls.ts';

const SEQUENCES = FULL ? 3000 : 500;

test('random sequences of requests get the same answers as from dynalite', async () => {
  await compareTables(await startDynalite(TableName), {
    sequences: SEQUENCES,
    // Dynalite accepts empty keys of indexes.
    isOutOfCourt: (_, { body }) => /cannot contain an empty string value/.test(String(body.message)),
  });
}, 600_000);
