import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'vitest';
import { formats } from '../../functions/lib/store/format.ts';
import { fileOf, stored, writeItems } from '../support/recorded-items.ts';
import { startWorld } from '../support/world.ts';

test('items of the newest format', async () => {
  await using world = await startWorld();
  await writeItems(world);
  const file = fileOf(formats.newest);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(await stored(world), null, 1)}\n`);
});
