import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { type Db, ifExists, type Key, updateItem } from '../../functions/lib/store/dynamodb.ts';

/**
 * Brings the items of a table from format 2 to format 3: each open item gets into a shard. Before, each region had one
 * partition of open items, and so had the checks. Safe to repeat. Returns the number of changed items.
 */
export const migrateToFormat3 = async (db: Db): Promise<number> => {
  let changed = 0;
  const pages = paginateScan({ client: db.client }, { TableName: db.table, ConsistentRead: true });
  for await (const { Items = [] } of pages) {
    for (const { pk, sk, open } of Items.filter(isUnsharded)) {
      await updateItem(db, { pk, sk } as Key, { set: { open: `${open}#0` }, returns: 'NONE', ...ifExists });
      changed++;
    }
  }
  return changed;
};

const isUnsharded = ({ open }: Record<string, unknown>): boolean => /^OPEN#[^#]+$/.test(String(open));
