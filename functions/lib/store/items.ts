import { z } from 'zod';
import type { Sample } from '../../../shared/metrics/page-metrics-schemas.ts';
import { anyName } from '../../../shared/name-schemas.ts';
import { SettledOptions } from '../../../shared/options/audit-options-schemas.ts';
import type { Region } from '../../../shared/regions.ts';
import type { RunState } from '../../../shared/run.ts';
import { HOLD_MS } from '../../../shared/service/due-times.ts';
import { partitions } from '../../../shared/service/partitions.ts';
import type { PlanName } from '../../../shared/service/plans.ts';
import { announceChange } from './changes.ts';
import { type Db, getItem, type Key, parse, updateOnce } from './dynamodb.ts';
import { allOf, anyOf, type Change, type Condition } from './expressions.ts';
import { allIn } from './query.ts';
import { CheckFields, RunFields, StoredLabels, StoredReport, withNulls } from './stored.ts';

/*
 * pk                 sk             item
 * CHECK#<checkId>    CHECK          check: inputs, owner, ids of its runs, createdAt, completedAt
 * CHECK#<checkId>    CHECK          mark of an erased check, in place of the check: id, owner, erasedAt
 * CHECK#<checkId>    RUN#<runId>    run
 * CHECK#<checkId>    TREND#<runId>  the run's entry in the series of its URL, which outlives the check (trends.ts)
 * RUN#<runId>        RUN            pointer from a run to its check, for the paths without a check id
 * SHARE#<checkId>    SHARE          secret of the check's share links (links.ts)
 * OWNER#<owner>      USAGE          usage of an owner's plans (stored-usage.ts)
 * OWNER#<owner>      WEBHOOKS       mark of an owner who has had a webhook (webhooks.ts)
 * OPENCHECK#<owner>  <checkId>      open check that counts towards its owner's plan (open-checks.ts)
 * KEY#<prefix>       KEY            API key (keys.ts)
 * REGION#<region>    REGION         state of a region (regions.ts)
 * WEBHOOK#<owner>    <place>        webhook with its secrets (webhooks.ts)
 * DELIVERY#<webhook> <time>#<id>    delivery to a webhook (deliveries.ts)
 * SCHEDULES#<owner>  <place>        schedule (schedules.ts)
 * LATEST#<owner>     <hash of the URL>#<device>#<region>  newest results of a page (latest.ts)
 * FIELD#<hash>       <form factor>  answers of Chrome UX Report about a page or an origin (field-data.ts)
 * FIELD#BUDGET       <minute>       queries of Chrome UX Report in a minute (field-data.ts)
 * MARK#<owner>       <id>           mark (marks.ts)
 * BADGE#<id>         BADGE          badge, whose id is its secret (badges.ts)
 * BUILD#<owner>      <id>           build of Lighthouse CI, whose reports are in UPLOAD#<build> (builds.ts)
 * BUILD#<owner>      SETTINGS       settings of the owner's project (builds.ts)
 * UNSEALED#<owner>   <id>           entry of an unsealed build (builds.ts)
 * FORMAT             FORMAT         format of the table's items and of messages (format.ts)
 *
 * `writeId` of an item names the last write by `putOnce` or `updateOnce` (dynamodb.ts).
 *
 * The sparse index `list` is sorted by listKey, and its entries have what a list shows (lists.ts):
 * - checks (OWNER#<owner>)
 * - entries of series (SERIES#<owner>#<hash of the URL>)
 * - newest results (PAGES#<owner>)
 * - marks, badges and builds (MARKS#, BADGES#, BUILDS#<owner>)
 * - API keys (KEYS#<first digit of the prefix>)
 *
 * The sparse index `open` is sorted by dueAt:
 * - unfinished runs (OPEN#<region>#<shard>)
 * - unfinished checks and marks (OPEN#checks#<shard>)
 * - closed checks without deliveries, and unfinished deliveries (OPEN#deliveries#<shard>)
 * - schedules that are not paused (OPEN#schedules#<shard>)
 *
 * The shard comes from the item's id. A hot partition of an index would throttle the writes of the table. Resending, renewing
 * and releasing change dueAt, and so do most claims. A write that is conditional on the old dueAt and the old lease therefore
 * fails if someone else has acted on the item.
 */
export const checkKey = (checkId: string): Key => ({ pk: `${partitions.check}${checkId}`, sk: 'CHECK' });
export const runKey = (checkId: string, runId: string): Key => ({
  pk: `${partitions.check}${checkId}`,
  sk: `RUN#${runId}`,
});
export const trendKey = (checkId: string, runId: string): Key => ({
  pk: `${partitions.check}${checkId}`,
  sk: `TREND#${runId}`,
});
export const pointerKey = (runId: string): Key => ({ pk: `${partitions.run}${runId}`, sk: 'RUN' });
export const shareKey = (checkId: string): Key => ({ pk: `${partitions.share}${checkId}`, sk: 'SHARE' });
export const apiKeyKey = (prefix: string): Key => ({ pk: `${partitions.key}${prefix}`, sk: 'KEY' });
export const regionKey = (region: Region): Key => ({ pk: `${partitions.region}${region}`, sk: 'REGION' });
export const webhooksMarkKey = (owner: string): Key => ({ pk: `${partitions.owner}${owner}`, sk: 'WEBHOOKS' });
export const usageKey = (owner: string): Key => ({ pk: `${partitions.owner}${owner}`, sk: 'USAGE' });
/** Kind of open items, each with shards of its own. */
export type OpenKind = Region | 'checks' | 'deliveries' | 'schedules';
export const openPartition = (kind: OpenKind, shard: number): string => `OPEN#${kind}#${shard}`;
/** Returns the partition of a new open item. The last digits of a UUID of any version are evenly distributed. */
export const openPartitionOf = ({ openShards }: Pick<Db, 'openShards'>, kind: OpenKind, id: string): string =>
  openPartition(kind, Number.parseInt(id.slice(-8), 16) % openShards);

export const CheckItem = z.object({
  ...CheckFields.shape,
  owner: z.string(),
  fingerprint: z.string(), // hash of the request's body
  createId: z.string(), // the create that wrote this item
  secretsKey: z.string().optional(), // of the object with its secrets, which its end deletes
  runIds: z.array(z.uuid()),
  completedAt: z.iso.datetime().nullable(),
  countsAsOpen: z.boolean().optional(), // true if it counts towards its owner's plan while it is open (open-checks.ts)
  reserved: z.object({ plan: anyName<PlanName>(), audits: z.int() }).optional(), // tokens taken for automatic samples (refunds.ts)
  dueAt: z.string().optional(),
  expiresAt: z.number(), // in seconds
  retentionDays: z.int(), // life of its reports (report-folders.ts)
});
const StoredRun = z.object({
  ...RunFields.shape,
  checkId: z.uuid(),
  owner: z.string(),
  options: SettledOptions,
  regionCount: z.int().optional(), // of its check, if they share the chance of a false verdict
  correlationId: z.string(), // id of the request that created the run
  createId: z.string(), // the last create that wrote this item and its pointer
  secretsKey: z.string().optional(), // of the object with the secrets of its check
  sends: z.int(), // of its job, since no queue had it; 1 in a new run, before its create sends the job
  sentAt: z.string().optional(), // when its job was sent last, or the run was created
  tries: z.int(), // that came to nothing since its last claim (due-times.ts)
  lostLeases: z.int(),
  lease: z.object({ id: z.uuid(), until: z.string(), sentAt: z.string().optional() }).optional(), // sentAt: of the holder's job
  report: StoredReport.optional(),
  dueAt: z.string().optional(),
  labels: StoredLabels, // of its check, for its series
  expiresAt: z.number(), // in seconds
  retentionDays: z.int(), // life of its reports (report-folders.ts)
  trendExpiresAt: z.number(), // in seconds, of its entry in the series
  isAsserted: z.boolean().optional(), // true if its check has assertions
});
export const RunItem = withNulls(StoredRun);
export type CheckItem = z.infer<typeof CheckItem>;
/** Facts about a check that an erasure needs. A check without a time of its creation is damaged. */
export type Erasable = {
  id: string;
  owner: string;
  createdAt: unknown;
  retentionDays?: unknown;
};
/** Mark of an erased check. It keeps the owner, so that other owners get a 404. */
export type ErasedItem = { id: string; owner: string; erasedAt: string; dueAt: string };
export type RunItem = z.infer<typeof RunItem>;
export type RunRef = Pick<RunItem, 'checkId' | 'id'>;

/** Returns a run in any state and of any owner. */
export const findRun = async (db: Db, run: RunRef): Promise<RunItem | undefined> => {
  const item = await getItem(db, runKey(run.checkId, run.id));
  return item && parse(RunItem, item);
};

/** Items of a check that a read returns: of which owner, and whether with the entries of series. */
export type Scope = { owner: string | undefined; trends?: boolean };
export const ofAnyOwner: Scope = { owner: undefined };

/**
 * Returns a check's items, with its entries of series if `trends` is true. With an owner, DynamoDB filters out the items
 * of others. A read of another owner's check therefore takes as long as a read of an unknown check.
 */
export const readItems = async (db: Db, checkId: string, { owner, trends = false }: Scope) => {
  const items = await allIn(db, {
    partition: checkKey(checkId).pk,
    until: trends ? 'TREND~' : 'TREND#',
    filter: owner === undefined ? undefined : ifEqual('owner', owner),
  });
  const under = (prefix: string) => items.filter(({ sk }) => String(sk).startsWith(prefix));
  return { check: items.find(({ sk }) => sk === 'CHECK'), runs: under('RUN#'), trends: under('TREND#') };
};

/** Returns an item without the attributes that are null. */
export const withoutNulls = <Fields extends object>(item: Fields): Fields =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null)) as Fields;

/** Updates a run, as `updateOnce` does. Announces the change if a client can see it. */
export const updateRun = async (
  db: Db,
  run: RunRef,
  { set = {}, remove = [], ...change }: Change,
  writeId?: string,
): Promise<RunItem | undefined> => {
  const gone = Object.keys(set).filter((name) => set[name] === null);
  try {
    const stored = { ...change, set: withoutNulls(set), remove: [...remove, ...gone] };
    const item = await updateOnce(db, runKey(run.checkId, run.id), stored, writeId);
    return item && parse(RunItem, item);
  } finally {
    // Also if the write failed, because DynamoDB may have applied it.
    if (set.updatedAt !== undefined) announceChange(run.checkId);
  }
};

/** Returns the attributes of an unfinished run with these samples of its variants. */
export const withSamples = ({ against }: RunItem, own: readonly Sample[], ofAgainst: readonly Sample[] = []) => ({
  samples: own,
  ...(against && { against: { ...against, samples: ofAgainst } }),
});

/** Holds if nobody has acted on an open item since it was read. */
export const ifDueAt = (dueAt: string | undefined): Condition => anyOf(['dueAt', '=', dueAt]);

/** Returns when a new run is due first. A worker claims most runs before. */
export const firstDueAt = ({ createdAt }: Pick<RunItem, 'createdAt'>): string => toIso(Date.parse(createdAt) + HOLD_MS);

/** Holds if nobody has acted on a run since it was read. The claim of a new run leaves its `dueAt`. */
export const ifUntouched = ({ dueAt, lease }: Pick<RunItem, 'dueAt' | 'lease'>): Condition =>
  allOf(ifDueAt(dueAt), lease ? ifLease(lease.id) : ifNoLease);

export const ifState = (...states: readonly RunState[]): Condition =>
  anyOf(...states.map((state) => ['state', '=', state] as const));

export const ifLease = (id: string | undefined): Condition => anyOf(['lease.id', '=', id]);
export const ifNoLease = anyOf(['lease', 'absent']);
/** Holds unless the item is the mark of an erased check. A mark must stay for its time. */
export const ifNoMark = anyOf(['erasedAt', 'absent']);

/** Holds if no other create has written the item since. A damaged item may have no such id. */
export const ifCreateId = (createId: unknown): Condition => ifEqual('createId', createId);

/** Holds if an attribute has this value, or is missing if the value is undefined. */
export const ifEqual = (path: string, value: unknown): Condition =>
  anyOf(value === undefined ? [path, 'absent'] : [path, '=', value]);

/** DynamoDB deletes an expired item within days. Until then, reads and creates ignore it. */
export const isExpired = ({ expiresAt }: { expiresAt?: number }, now: Date): boolean =>
  expiresAt !== undefined && expiresAt * 1000 < now.getTime();
export const ifAbsentOrExpired = (now: Date): Condition =>
  anyOf(['pk', 'absent'], ['expiresAt', '<', Math.floor(now.getTime() / 1000)]);

export const toIso = (milliseconds: number) => new Date(milliseconds).toISOString();
