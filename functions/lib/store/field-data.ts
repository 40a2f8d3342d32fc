import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { FieldDataReason } from '../../../shared/field-data.ts';
import { FieldHistory, FieldRecord, type FormFactor } from '../../../shared/field-data-schemas.ts';
import { anyName } from '../../../shared/name-schemas.ts';
import { partitions } from '../../../shared/service/partitions.ts';
import { type Db, getItem, type Key, parse, updateItem } from './dynamodb.ts';
import { anyOf, ifExists } from './expressions.ts';
import { toIso } from './items.ts';
import { pack, unpack } from './packed.ts';

/** Answers of Chrome UX Report about a page or an origin, of one day. */
const Kept = z.object({
  day: z.iso.date(),
  record: FieldRecord.nullable(),
  reason: anyName<FieldDataReason>().nullable(),
  history: FieldHistory.nullable(),
});
export type Kept = z.infer<typeof Kept>;
/** A claim of a page has no answer yet. */
export const FieldDataItem = z.object({
  answer: z.preprocess((bytes) => (bytes === undefined ? undefined : unpack(bytes)), Kept.optional()),
});

const keyOf = (name: string, formFactor: FormFactor): Key => ({
  pk: `${partitions.fieldData}${createHash('sha256').update(name).digest('base64url')}`,
  sk: formFactor,
});
const budgetKey = (minute: string): Key => ({ pk: `${partitions.fieldData}BUDGET`, sk: minute });

/** Time after which the claim of a lost query ends. It is longer than the queries of a page take. */
const CLAIM_MS = 30_000;
const DAY_SECONDS = 24 * 3600;
/** Days that a history stays after the last check of its page. */
const KEPT_DAYS = 30;
/** Queries of one minute of the clock. Two such minutes have fewer than the 150 that Google allows in any minute. */
export const MAX_QUERIES = 70;

export type FieldDataStore = ReturnType<typeof fieldDataStore>;

/** Stores the answers of Chrome UX Report about pages and origins. No owner has them, because everybody may know them. */
export const fieldDataStore = (db: Db) => ({
  /** Returns the last answers about a page or an origin. */
  find: async (name: string, formFactor: FormFactor): Promise<Kept | undefined> => {
    const item = await getItem(db, keyOf(name, formFactor));
    return item && parse(FieldDataItem, item).answer;
  },

  /** Claims the queries about a page or an origin. Returns false while another process makes them. */
  claim: async (name: string, formFactor: FormFactor, now: Date): Promise<boolean> =>
    (await updateItem(db, keyOf(name, formFactor), {
      set: { claimedUntil: toIso(now.getTime() + CLAIM_MS), expiresAt: inDays(now, KEPT_DAYS) },
      ...anyOf(['claimedUntil', 'absent'], ['claimedUntil', '<', now.toISOString()]),
      returns: 'NONE',
    })) !== undefined,

  /** Ends a claim. Stores the answers if there are some. */
  release: async (name: string, formFactor: FormFactor, answer?: Kept): Promise<void> => {
    const answered = answer && { set: { answer: pack(answer) } };
    await updateItem(db, keyOf(name, formFactor), {
      ...answered,
      remove: ['claimedUntil'],
      ...ifExists,
      returns: 'NONE',
    });
  },

  /** Takes one query of this minute. Returns false if the minute has none left. */
  takeQuery: async (now: Date): Promise<boolean> =>
    (await updateItem(db, budgetKey(now.toISOString().slice(0, 16)), {
      add: { count: 1 },
      set: { expiresAt: inDays(now, 1) },
      ...anyOf(['pk', 'absent'], ['count', '<', MAX_QUERIES]),
      returns: 'NONE',
    })) !== undefined,
});

const inDays = (now: Date, days: number): number => Math.floor(now.getTime() / 1000) + days * DAY_SECONDS;
