import { randomUUID } from 'node:crypto';
import { type Db, putItem } from '../../functions/lib/store/dynamodb.ts';
import { ifAbsent } from '../../functions/lib/store/expressions.ts';
import { checkKey } from '../../functions/lib/store/items.ts';
import { listedClosedCheck } from '../../functions/lib/store/lists.ts';
import { newCheck } from '../../shared/check.ts';
import { ANONYMOUS } from '../../shared/service/keys.ts';

const AT_ONCE = 25;

/** Stores closed checks of two regions, with only the attributes that a list reads. */
export const storeListedChecks = async (db: Db, count: number): Promise<void> => {
  const firstAt = Date.parse('2031-01-01T00:00:00.000Z');
  const item = (i: number) => {
    const inputs = { url: 'https://example.com/', auditVersion: '13.5.0', regions: ['us-west1', 'us-east4'] } as const;
    const ids = { id: randomUUID(), runIds: [randomUUID(), randomUUID()], now: new Date(firstAt + 1000 * i) };
    const check = newCheck({ ...inputs, regions: [...inputs.regions], labels: { commit: `${i}` } }, ids);
    return {
      ...checkKey(check.id),
      ...listedClosedCheck(check, ANONYMOUS, Date.parse('2131-01-01T00:00:00.000Z') / 1000),
    };
  };
  for (let from = 0; from < count; from += AT_ONCE) {
    const size = Math.min(AT_ONCE, count - from);
    await Promise.all(Array.from({ length: size }, (_, i) => putItem(db, item(from + i), ifAbsent)));
  }
};
