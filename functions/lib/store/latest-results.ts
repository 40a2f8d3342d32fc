import { createHash } from 'node:crypto';
import { measuredNames, measuredOn } from '../../../shared/comparison/comparable.ts';
import { mainNames } from '../../../shared/page-metrics.ts';
import type { StoredResult } from '../../../shared/pages.ts';
import { pick } from '../../../shared/pick.ts';
import { recordOf } from '../../../shared/record.ts';
import { type Db, getItem, type Item, pagesOfIndex } from './dynamodb.ts';
import type { CheckItem, RunItem } from './items.ts';
import { type ListedRun, seriesOf } from './lists.ts';

/** A page on a device in a region, and its owner. */
export type PlaceOfPage = Pick<RunItem, 'owner' | 'url' | 'device' | 'region'>;

/** Returns a finished run of a check as a result of its page. */
export const resultOf = (run: RunItem, check: CheckItem, createId: string): StoredResult => ({
  ...pick(run, ['id', 'checkId', 'createdAt', 'finishedAt', 'state', 'auditVersion', ...mainNames]),
  createId,
  errorCode: run.error?.code ?? null,
  samples: recordOf(
    mainNames.filter((name) => run.samples.some((sample) => sample[name] !== null)),
    (name) => run.samples.map((sample) => sample[name]),
  ),
  sampleCount: run.samples.length,
  ...measuredOn(run.environment),
  audited: {
    ...pick(check, ['categories', 'basicAuth', 'throttling']),
    blockedUrlPatterns: hashed(check.blockedUrlPatterns),
    ...(check.headers && { headers: hashed(check.headers) }),
    ...(check.cookies && { cookies: hashed(check.cookies) }),
    ...(check.storageState && {
      storageState: { cookies: hashed(check.storageState.cookies), origins: hashed(check.storageState.origins) },
    }),
  },
  labels: check.labels,
  runExpiresAt: run.expiresAt,
  expiresAt: run.trendExpiresAt,
});

/** Returns a list that is equal for lists with the same texts, and short. */
const hashed = (texts: readonly string[] = []): string[] =>
  texts.length === 0
    ? []
    : [
        createHash('sha256')
          .update(JSON.stringify([...new Set(texts)].sort()))
          .digest('base64url'),
      ];

/** Returns the newest results of a page by its series, without the erased ones. Nobody knows their samples any more. */
export const earlierResults = async (
  db: Db,
  { owner, url, device, region }: PlaceOfPage,
  erased: readonly { createId: string }[],
  count: number,
): Promise<StoredResult[]> => {
  const found: StoredResult[] = [];
  for await (const page of pagesOfIndex(db, 'list', seriesOf(owner, url), { newestFirst: true })) {
    for (const { pk, sk, listed } of page) {
      const run = entryOf(listed);
      if (!run || run.device !== device || run.region !== region) continue;
      const entry = await getItem(db, { pk, sk }); // the index may still have an erased one
      if (!entry?.list || erased.some(({ createId }) => createId === entry.createId)) continue;
      found.push(resultOfEntry(run, entry));
      if (found.length === count) return found;
    }
  }
  return found;
};

type Entry = ListedRun & { expiresAt: number };

/** Returns what an entry of a series shows, or undefined if it is damaged. */
export const entryOf = (listed: unknown): Entry | undefined => {
  try {
    return JSON.parse(String(listed));
  } catch {
    return undefined;
  }
};

const resultOfEntry = (run: Entry, { createId }: Item): StoredResult => ({
  ...pick(run, ['id', 'checkId', 'createdAt', 'finishedAt', 'state', 'auditVersion', ...mainNames]),
  ...pick(run, ['errorCode', 'sampleCount', ...measuredNames, 'labels', 'runExpiresAt', 'expiresAt']),
  createId: String(createId),
  samples: {},
  audited: {
    throttling: run.throttling,
    blockedUrlPatterns: run.blockedUrlPatterns ? hashed(run.blockedUrlPatterns) : null,
  },
});
