import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import manifest from '../../package.json' with { type: 'json' };
import type { World } from './world.ts';

type Items = Record<string, unknown>[];
const folder = new URL('../recorded/items/', import.meta.url);

/** The version of this service. */
export const release = manifest.version;

export const itemsFile = (of: string): URL => new URL(`${of}.json`, folder);

/** The releases whose items are recorded. */
export const recordedReleases = (): string[] => readdirSync(folder).map((name) => name.replace(/\.json$/, ''));

/** Returns the table's items as a release wrote them. */
export const recordedItems = (of: string): Items => JSON.parse(readFileSync(itemsFile(of), 'utf8'));

/** Records all items of a table as those of this release. */
export const writeItems = async ({ db }: Pick<World, 'db'>): Promise<void> => {
  const items: Items = [];
  for await (const page of paginateScan({ client: db.client }, { TableName: db.table }))
    items.push(...(page.Items ?? []));
  const lines = items
    .sort((a, b) => `${a.pk} ${a.sk}`.localeCompare(`${b.pk} ${b.sk}`))
    .map((item) => JSON.stringify(item));
  writeFileSync(itemsFile(release), `[\n${lines.join(',\n')}\n]\n`);
};

/** Writes recorded items into a table. */
export const putItems = async ({ db }: Pick<World, 'db'>, items: Items): Promise<void> => {
  for (const Item of items) await db.client.send(new PutCommand({ TableName: db.table, Item }));
};
