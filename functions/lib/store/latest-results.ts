import { createHash } from 'node:crypto';
import { z } from 'zod';
import { assertionsPassed } from '../../../shared/check.ts';
import { measuredOn, seriesKeys } from '../../../shared/comparison/comparable.ts';
import { locationsOf } from '../../../shared/comparison/series.ts';
import { factsIn, factsOf } from '../../../shared/measured.ts';
import { mainNames } from '../../../shared/metrics/page-metrics.ts';
import { categoriesOf } from '../../../shared/options/audit-options.ts';
import type { StoredResult } from '../../../shared/pages/listed-pages.ts';
import type { StoredPoint } from '../../../shared/pages/page-points.ts';
import { pick } from '../../../shared/pick.ts';
import { cutText } from '../../../shared/text.ts';
import { type Db, getItem, type Item } from './dynamodb.ts';
import type { CheckItem, RunItem } from './items.ts';
import { type ListedRun, seriesOf } from './lists.ts';
import { unpack } from './packed.ts';
import { pagesIn } from './query.ts';

/** A page on a device in a region, and its owner. */
export type PlaceOfPage = Pick<RunItem, 'owner' | 'url' | 'device' | 'region'>;

/** Time in which the close of an erased check may be late. */
export const ERASED_MS = 24 * 3600 * 1000;

/** An erased check, and until when it is remembered. */
export const Erased = z.object({ createId: z.string(), until: z.number() });
export type Erased = z.infer<typeof Erased>;

/** Returns whether an erasure came after the create of a result. */
export const wasErased = (
  erased: readonly Erased[],
  { createId, createdAt }: Pick<StoredResult, 'createId' | 'createdAt'>,
): boolean => erased.some((each) => each.createId === createId && Date.parse(createdAt) <= each.until - ERASED_MS);

/** Longest part of an error's message that a list shows. */
const MAX_MESSAGE = 120;

/** Returns a finished run of a check as a result of its page. */
export const resultOf = (run: RunItem, check: CheckItem, createId: string): StoredResult => ({
  ...pick(run, ['id', 'checkId', 'createdAt', 'finishedAt', 'state', 'auditVersion', ...mainNames]),
  createId,
  ...pick(factsOf(run), factsIn('newest')),
  errorMessage: run.error ? cutText(run.error.message, MAX_MESSAGE) : null,
  bytes: run.bytes,
  assertionsPassed: assertionsPassed({ assertions: check.assertions, runs: [run] }),
  labels: check.labels,
  runExpiresAt: run.expiresAt,
  expiresAt: run.trendExpiresAt,
});

/** Returns a finished run of a check as a point in the series of its page. */
export const pointOf = (run: RunItem, check: CheckItem): StoredPoint => {
  const { auditVersion, environment } = run;
  const categories = categoriesOf(auditVersion, check);
  const { inputs, machine } = seriesKeys({ ...check, ...measuredOn(environment), auditVersion, categories });
  return {
    at: Date.parse(run.createdAt),
    checkId: run.checkId,
    inputs: shortHash(inputs),
    machine: shortHash(machine),
    locations: run.state === 'succeeded' ? locationsOf(run) : {},
    isFailed: run.state === 'failed',
    expiresAt: run.trendExpiresAt,
  };
};

const shortHash = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 8);

/** Returns the newest results of a page by its series, without the erased ones. */
export const earlierResults = async (
  db: Db,
  { owner, url, device, region }: PlaceOfPage,
  erased: readonly Erased[],
  count: number,
): Promise<StoredResult[]> => {
  const found: StoredResult[] = [];
  for await (const page of pagesIn(db, { index: 'list', partition: seriesOf(owner, url), newestFirst: true })) {
    for (const { pk, sk, listed } of page) {
      const run = entryOf(listed);
      if (!run || run.device !== device || run.region !== region) continue;
      const entry = await getItem(db, { pk, sk }); // the index may still have an erased one
      const result = entry?.list === undefined ? undefined : resultOfEntry(run, entry);
      if (!result || wasErased(erased, result)) continue;
      found.push(result);
      if (found.length === count) return found;
    }
  }
  return found;
};

type Entry = ListedRun & { expiresAt: number };

/** Returns what an entry of a series shows, or undefined if it is damaged. */
export const entryOf = (listed: unknown): Entry | undefined => unpack(listed) as Entry | undefined;

const resultOfEntry = (run: Entry, { createId }: Item): StoredResult => ({
  ...pick(run, ['id', 'checkId', 'createdAt', 'finishedAt', 'state', 'auditVersion', ...mainNames]),
  ...pick(run, [...factsIn('newest'), 'labels', 'runExpiresAt', 'expiresAt']),
  createId: String(createId),
  errorMessage: null,
  assertionsPassed: null, // the series has none
  bytes: run.bytes,
});
