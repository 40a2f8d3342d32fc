import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { type Db, ifExists, type Key, updateItem } from '../../functions/lib/store/dynamodb.ts';
import { pack } from '../../functions/lib/store/packed.ts';
import { partitions } from '../../shared/partitions.ts';

/**
 * Brings the items of a table from format 3 to format 4: the newest results of each page get compressed. Before, they were JSON
 * texts. Safe to repeat. Returns the number of changed items.
 */
export const migrateToFormat4 = async (db: Db): Promise<number> => {
  let changed = 0;
  const pages = paginateScan({ client: db.client }, { TableName: db.table, ConsistentRead: true });
  for await (const { Items = [] } of pages) {
    for (const { pk, sk, ...item } of Items.filter(({ pk }) => String(pk).startsWith(partitions.latest))) {
      const texts = Object.entries(item).filter(([name, value]) => packed.includes(name) && isJson(value));
      if (texts.length === 0) continue;
      const set = Object.fromEntries(texts.map(([name, text]) => [name, pack(JSON.parse(String(text)))]));
      await updateItem(db, { pk, sk } as Key, { set, returns: 'NONE', ...ifExists });
      changed++;
    }
  }
  return changed;
};

const packed = ['results', 'listed'];

const isJson = (value: unknown): boolean => {
  try {
    return typeof value === 'string' && Boolean(JSON.parse(value));
  } catch {
    return false; // damaged, and the next check of the page replaces it
  }
};
