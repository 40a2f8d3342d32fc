import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  paginateQuery,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { AuditOptions } from '../../../shared/audit-options.ts';
import { Check, sentOptions, stateOf } from '../../../shared/check.ts';
import { closeAfter, ERASED_MS, HOLD_MS, LEASE_MS, LEASE_SLACK_MS, resendAt } from '../../../shared/due-times.ts';
import type { StoreEnv } from '../../../shared/env.ts';
import type { RunError } from '../../../shared/problems.ts';
import type { Region } from '../../../shared/regions.ts';
import { type Attempt, follows, isFinished, Run } from '../../../shared/run.ts';
import { documents, onlyIf, parse } from './dynamodb.ts';
import { uncount } from './usage.ts';

/*
 * pk               sk             what it holds
 * CHECK#<checkId>  CHECK          the check: inputs, owner, ids of its runs, createdAt, completedAt
 * CHECK#<checkId>  RUN#<runId>    a run
 * RUN#<runId>      RUN            pointer to its check, for the paths without a check id
 * CHECK#<checkId>  CHECK          or what is left of an erased check until nothing can come of it any more: id, owner, erasedAt
 *
 * Each bears its owner. In the same table are API keys (key-store.ts) and the use that owners make of their plans
 * (limit-store.ts).
 *
 * Sparse index `open`: OPEN#<region> (runs) and OPEN#checks (checks), sorted by dueAt: whatever is not finished.
 * Every step of an open item sets a new dueAt, so that "dueAt is still the one I saw" means "nobody acted since".
 */
const checkKey = (checkId: string) => ({ pk: `CHECK#${checkId}`, sk: 'CHECK' });
const runKey = (checkId: string, runId: string) => ({ pk: `CHECK#${checkId}`, sk: `RUN#${runId}` });
const pointerKey = (runId: string) => ({ pk: `RUN#${runId}`, sk: 'RUN' });
const openRuns = (region: Region) => `OPEN#${region}`;
const OPEN_CHECKS = 'OPEN#checks';

const CheckItem = z.object({
  ...Check.omit({ state: true, updatedAt: true, runs: true }).shape,
  owner: z.string(),
  fingerprint: z.string(), // of the body as the client sent it
  token: z.string(), // of the create that wrote it
  runIds: z.array(z.uuid()),
  completedAt: z.iso.datetime().nullable(),
  countedOn: z.string().optional(), // among its owner's open checks: limit-store.ts
  dueAt: z.string().optional(),
  expiresAt: z.number().optional(), // in seconds
});
const ErasedItem = z.object({
  id: z.uuid(),
  owner: z.string(),
  erasedAt: z.iso.datetime(),
  dueAt: z.string(),
});
const RunItem = z.object({
  ...Run.shape,
  checkId: z.uuid(),
  owner: z.string(),
  options: AuditOptions,
  correlationId: z.string(), // the request that created it
  token: z.string(), // of the create that wrote it last; its pointer bears the same
  sends: z.int(),
  lostLeases: z.int(),
  lease: z.object({ id: z.uuid(), until: z.string() }).optional(),
  report: z.object({ key: z.string(), bytes: z.int(), gzipBytes: z.int() }).optional(),
  dueAt: z.string().optional(),
});
export type CheckItem = z.infer<typeof CheckItem>;
/** The mark of an erased check. Whose it was is all it holds of what the check held. */
export type ErasedItem = z.infer<typeof ErasedItem>;
export type RunItem = z.infer<typeof RunItem>;

/** A check with its runs in the order of its regions, as stored. */
export type StoredCheck = { item: CheckItem; runs: RunItem[] };

/** The right to work on a run, for as long as it is renewed. `run` is the run as it was claimed. */
export type Lease = { id: string; run: RunItem };

/** How a run ended: what changes on its item. */
export type Outcome = Partial<Omit<Run, 'id' | 'state'>> & {
  state: 'succeeded' | 'failed';
  attempts: Attempt[];
  report?: RunItem['report'] | undefined;
};

/** Something open that is due: its key, and the dueAt that was seen. */
export type Due = { pk: string; sk: string; dueAt: string };
/** What a sweep holds for a moment: nobody else acts on it until `dueAt`. */
export type Held = ({ check: CheckItem } | { erased: ErasedItem } | { run: RunItem }) & { dueAt: string };

/**
 * What a create notes beside the check: `fingerprint` tells its body from others, `token` this try from others;
 * `countedOn` where its owner has a limit of open checks.
 */
export type Creation = {
  owner: string;
  correlationId: string;
  fingerprint: string;
  token: string;
  expiresAt: Date;
  countedOn?: string | undefined;
};

export type CheckStore = ReturnType<typeof checkStore>;

/** The check as the API shows it. */
export const asCheck = ({ item, runs }: StoredCheck): Check => {
  const { id, auditVersion, url, regions, createdAt } = item;
  return {
    id,
    auditVersion,
    url,
    regions,
    ...sentOptions(item),
    state: stateOf(runs.map((run) => run.state)),
    createdAt,
    updatedAt: [createdAt, ...runs.map((run) => run.updatedAt)].sort().at(-1) ?? createdAt,
    runs: runs.map(asRun),
  };
};

/** The run as the API shows it. */
export const asRun = (run: RunItem): Run => {
  const { checkId, owner, options, correlationId, token, sends, lostLeases, lease, report, dueAt, ...shown } = run;
  return shown;
};

/** Where checks and runs are kept. Each write states the condition under which it is true; a refused one says so. */
export const checkStore = (env: StoreEnv, db = documents(env)) => {
  const { TABLE_NAME: TableName } = env;

  /** Updates one item under a condition; gives the new item, or undefined where the condition did not hold. */
  const update = async (Key: { pk: string; sk: string }, change: Change) => {
    const { Attributes } = (await onlyIf(db.send(new UpdateCommand({ TableName, Key, ...expression(change) })))) ?? {};
    return Attributes;
  };
  const updateRun = async (run: RunRef, change: Change): Promise<RunItem | undefined> => {
    const item = await update(runKey(run.checkId, run.id), change);
    return item && parse(RunItem, item);
  };

  /** Of one owner, where one is named: what is another's is not sent to us, so that it takes no longer than nothing. */
  const itemsOf = async (checkId: string, owner?: string) => {
    const items: Record<string, unknown>[] = [];
    const mine = owner !== undefined && {
      FilterExpression: '#owner = :owner',
      ExpressionAttributeNames: { '#owner': 'owner' },
    };
    const pages = paginateQuery(
      { client: db },
      {
        TableName,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': checkKey(checkId).pk, ...(mine && { ':owner': owner }) },
        ...mine,
        ConsistentRead: true,
      },
    );
    for await (const page of pages) items.push(...(page.Items ?? []));
    return { check: items.find((item) => item.sk === 'CHECK'), runs: items.filter((item) => item.sk !== 'CHECK') };
  };

  const findOrErased = async (
    checkId: string,
    owner?: string,
    again = false,
  ): Promise<StoredCheck | 'erased' | undefined> => {
    const { check, runs } = await itemsOf(checkId, owner);
    if (!check) return undefined; // its create has not ended, or never will
    if (check.erasedAt) return 'erased';
    const item = parse(CheckItem, check);
    if (owner !== undefined && isExpired(item)) return undefined;
    const found = item.runIds.map((id) => runs.find(({ sk }) => sk === `RUN#${id}`));
    const missing = found.findIndex((run) => !run);
    if (missing < 0) return { item, runs: found.map((run) => parse(RunItem, run as Record<string, unknown>)) };
    if (again) throw new Error(`check ${checkId} has lost its run ${item.runIds[missing]}`);
    return findOrErased(checkId, owner, true); // a query is no snapshot: it may see a check before its erasure, and its runs after
  };

  const find = async (checkId: string, owner?: string): Promise<StoredCheck | undefined> => {
    const found = await findOrErased(checkId, owner);
    return found === 'erased' ? undefined : found;
  };

  /** Deletes an item under a condition. Whether it is gone now. */
  const remove = async (Key: { pk: string; sk: string }, when: string, values: Record<string, unknown>) => {
    const names = when.includes('#token') ? { '#token': 'token' } : undefined;
    const deletion = new DeleteCommand({
      TableName,
      Key,
      ConditionExpression: when,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
    });
    return Boolean(await onlyIf(db.send(deletion)));
  };

  /** Puts a run where none stands. One that stands is left of a create that broke off: it is kept from being cleared. */
  const putRun = async (run: RunItem, expiresAt: number): Promise<void> => {
    const Item = { ...runKey(run.checkId, run.id), open: openRuns(run.region), expiresAt, ...run };
    for (let tries = 0; tries < 3; tries++) {
      if (await onlyIf(db.send(new PutCommand({ TableName, Item, ...whereNoneStands() })))) return;
      const kept = await updateRun(run, {
        set: { dueAt: run.dueAt, token: run.token },
        when: '#state = :created',
        values: { ':created': 'created' },
      });
      if (kept) return;
    }
    throw new Error(`run ${run.id} could not be put`);
  };

  const findRun = async (run: RunRef): Promise<RunItem | undefined> => {
    const Key = runKey(run.checkId, run.id);
    const { Item } = await db.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
    return Item && parse(RunItem, Item);
  };

  /** Closes a check whose runs are all finished. Whether it is closed now. */
  const closeIfFinished = async (checkId: string, now: Date): Promise<boolean> => {
    const found = await find(checkId);
    if (!found?.runs.every((run) => isFinished(run.state))) return false;
    if (found.item.completedAt) return true;
    const closed = await update(checkKey(checkId), {
      set: { completedAt: now.toISOString() },
      remove: ['open', 'dueAt'],
      when: 'completedAt = :null', // which the mark of an erased check has not
      values: { ':null': null },
    });
    const { owner, countedOn } = found.item;
    if (closed && countedOn) await uncount(db, TableName, owner, countedOn);
    return true;
  };

  /** Runs first, then their pointers, the check last: a check that anyone can see has all its runs. */
  const create = async (
    check: Check,
    { owner, correlationId, fingerprint, token, expiresAt, countedOn }: Creation,
  ): Promise<RunItem[] | undefined> => {
    const created = Date.parse(check.createdAt);
    const seconds = Math.floor(expiresAt.getTime() / 1000);
    const dueAt = at(created + HOLD_MS);
    const options = AuditOptions.parse(sentOptions(check));
    const common = { checkId: check.id, owner, options, correlationId, token, sends: 0, lostLeases: 0, dueAt };
    const runs = check.runs.map((run) => ({ ...run, ...common }));
    const written = await Promise.allSettled(
      runs.map(async (run) => {
        await putRun(run, seconds);
        const Item = { ...pointerKey(run.id), checkId: check.id, owner, token, expiresAt: seconds };
        const mine = { ':checkId': check.id };
        const ConditionExpression = 'attribute_not_exists(pk) OR checkId = :checkId';
        await db.send(new PutCommand({ TableName, Item, ConditionExpression, ExpressionAttributeValues: mine }));
      }),
    );
    // Not before every write has ended: none may come late, after its remains were cleared.
    for (const each of written) if (each.status === 'rejected') throw each.reason;
    const { runs: _, state, updatedAt, ...inputs } = check;
    const item: CheckItem = {
      ...inputs,
      owner,
      fingerprint,
      token,
      runIds: runs.map((run) => run.id),
      completedAt: null,
      countedOn,
      dueAt: at(created + closeAfter(0)),
      expiresAt: seconds,
    };
    const Item = { ...checkKey(check.id), open: OPEN_CHECKS, ...item };
    if (await onlyIf(db.send(new PutCommand({ TableName, Item, ...whereNoneStands() })))) return runs;
    // The SDK sends again what was not answered: then it is our own write that stands in the way.
    const get = new GetCommand({ TableName, Key: checkKey(check.id), ConsistentRead: true });
    return (await db.send(get)).Item?.token === token ? runs : undefined;
  };

  return {
    /** Records a new check. Undefined where a check with this id stands already, or is being erased. */
    create,

    /**
     * A check and its runs in one consistent read; undefined where there is none, none of this owner, or none any more. What
     * has expired is no owner's any more.
     */
    find,

    /** The same, and where a check was just erased the word for that: until its mark is gone its id is not free. */
    findOrErased,

    /** The check that a run of this owner belongs to, as its pointer says. */
    checkIdOf: async (runId: string, owner: string): Promise<string | undefined> => {
      const { Item } = await db.send(new GetCommand({ TableName, Key: pointerKey(runId), ConsistentRead: true }));
      return Item && Item.owner === owner ? z.uuid().parse(Item.checkId) : undefined;
    },

    /** A run as it stands, whoever works on it. */
    findRun,

    /** Notes that a run's job is in its queue, unless somebody acted on the run since `run` was read. */
    markSent: (run: RunItem, now: Date) =>
      updateRun(run, {
        set: { sends: run.sends + 1, dueAt: at(resendAt(run, now)) },
        when: 'dueAt = :seen',
        values: { ':seen': run.dueAt },
      }),

    /**
     * Takes a run to work on it. Undefined where it is finished or gone, or another delivery of its job is at work:
     * then the job is a duplicate. A lease that ran out is taken over, and counted as lost.
     */
    claim: async (run: RunItem, leaseId: string, now: Date): Promise<Lease | undefined> => {
      if (isFinished(run.state) || (run.lease && run.lease.until > now.toISOString())) return undefined;
      const first = run.state === 'created';
      const nowIso = now.toISOString();
      const claimed = await updateRun(run, {
        set: {
          state: 'running',
          ...leaseFrom(leaseId, now),
          lostLeases: run.lostLeases + (run.lease ? 1 : 0),
          ...(first && { startedAt: nowIso, updatedAt: nowIso }),
        },
        when: `#state IN (${follows.running.map((_, i) => `:from${i}`).join(', ')}) AND ${
          run.lease ? 'lease.id = :lost' : 'attribute_not_exists(lease)'
        }`,
        values: {
          ...Object.fromEntries(follows.running.map((state, i) => [`:from${i}`, state])),
          ...(run.lease && { ':lost': run.lease.id }),
        },
      });
      // What is not answered is sent again: then it may be our own claim that stands in the way.
      const ours = claimed ?? (await findRun(run));
      return ours?.lease?.id === leaseId ? { id: leaseId, run: ours } : undefined;
    },

    /** Keeps a claim alive. False where it is not ours any more. */
    renew: async (lease: Lease, now: Date): Promise<boolean> =>
      Boolean(await updateRun(lease.run, { set: leaseFrom(lease.id, now), ...held(lease) })),

    /** Notes an attempt that failed and is to be followed by another. False where the claim is lost. */
    recordAttempt: async (lease: Lease, attempts: Attempt[], now: Date): Promise<boolean> =>
      Boolean(await updateRun(lease.run, { set: { attempts, updatedAt: now.toISOString() }, ...held(lease) })),

    /** Lets a run go unfinished, due at once. */
    giveBack: (lease: Lease, now: Date) =>
      updateRun(lease.run, { set: { dueAt: now.toISOString() }, remove: ['lease'], ...held(lease) }),

    /** Ends a run, and its check if it was the last. False where the claim is lost: then nothing is changed. */
    finish: async (lease: Lease, outcome: Outcome, now: Date): Promise<boolean> => {
      const nowIso = now.toISOString();
      const finished = await updateRun(lease.run, {
        set: { ...outcome, finishedAt: nowIso, updatedAt: nowIso },
        remove: ['open', 'dueAt', 'lease'],
        ...held(lease),
      });
      // The run is finished, whatever comes of its check: a sweep closes one that this did not.
      if (finished) await closeIfFinished(lease.run.checkId, now).catch(() => false);
      return Boolean(finished);
    },

    /** Fails a run that nobody is at work on, unless somebody acted on it since it was read. */
    abandon: async (run: RunItem, error: RunError, now: Date): Promise<boolean> => {
      const nowIso = now.toISOString();
      const failed = await updateRun(run, {
        set: { state: 'failed', error, finishedAt: nowIso, updatedAt: nowIso },
        remove: ['open', 'dueAt', 'lease'],
        when: `dueAt = :seen AND #state IN (${follows.failed.map((_, i) => `:from${i}`).join(', ')})`,
        values: {
          ':seen': run.dueAt,
          ...Object.fromEntries(follows.failed.map((state, i) => [`:from${i}`, state])),
        },
      });
      if (failed) await closeIfFinished(run.checkId, now).catch(() => false);
      return Boolean(failed);
    },

    closeIfFinished,

    /** What is due in a region, or among the checks, oldest first: at most `limit` items. */
    due: async (of: Region | 'checks', until: Date, limit: number, from = new Date(0)): Promise<Due[]> => {
      const { Items } = await db.send(
        new QueryCommand({
          TableName,
          IndexName: 'open',
          KeyConditionExpression: '#open = :open AND dueAt BETWEEN :from AND :until',
          ExpressionAttributeNames: { '#open': 'open' },
          ExpressionAttributeValues: {
            ':open': of === 'checks' ? OPEN_CHECKS : openRuns(of),
            ':from': from.toISOString(),
            ':until': until.toISOString(),
          },
          Limit: limit,
        }),
      );
      return (Items ?? []) as Due[];
    },

    /** Holds something due for a minute, so that one sweep acts on it. Undefined where somebody else was first. */
    hold: async ({ pk, sk, dueAt: seen }: Due, now: Date): Promise<Held | undefined> => {
      const dueAt = at(now.getTime() + HOLD_MS);
      const item = await update({ pk, sk }, { set: { dueAt }, when: 'dueAt = :seen', values: { ':seen': seen } });
      if (!item) return undefined;
      if (sk !== 'CHECK') return { run: parse(RunItem, item), dueAt };
      return item.erasedAt ? { erased: parse(ErasedItem, item), dueAt } : { check: parse(CheckItem, item), dueAt };
    },

    /** Counts a lease that ran out, and lets the run be taken again. Undefined where somebody acted on it since. */
    countLostLease: (run: RunItem, now: Date) =>
      updateRun(run, {
        set: { lostLeases: run.lostLeases + 1, dueAt: at(now.getTime() + HOLD_MS + 1) },
        remove: ['lease'],
        when: 'dueAt = :seen AND lease.id = :lost',
        values: { ':seen': run.dueAt, ':lost': run.lease?.id },
      }),

    /** Looks at a run or a check again at a time, unless somebody acted on it since it was read. */
    postpone: (item: RunItem | CheckItem | ErasedItem, until: Date) =>
      update('checkId' in item ? runKey(item.checkId, item.id) : checkKey(item.id), {
        set: { dueAt: until.toISOString() },
        when: 'dueAt = :seen',
        values: { ':seen': item.dueAt },
      }),

    /** Makes a waiting run due at once; leaves alone what has a lease, or was acted on since it was seen. */
    wake: ({ pk, sk, dueAt: seen }: Due, now: Date) =>
      update(
        { pk, sk },
        {
          set: { dueAt: now.toISOString() },
          when: 'dueAt = :seen AND attribute_not_exists(lease)',
          values: { ':seen': seen },
        },
      ),

    /** Deletes a run that no check lists, and its pointer, unless a create came back for it since it was read. */
    clear: async (run: RunItem): Promise<void> => {
      await remove(pointerKey(run.id), '#token = :token', { ':token': run.token });
      const seen = { ':token': run.token, ':seen': run.dueAt };
      await remove(runKey(run.checkId, run.id), '#token = :token AND dueAt = :seen', seen);
    },

    /**
     * Puts a mark in the place of a check: from now on nobody reads it. False where it is gone or marked already, or is
     * another check than the one that was read. The mark has no `expiresAt`: it stands until all is erased. A check that was
     * open till then counts as open no more: what the mark took the place of tells it, as it may have closed since it was read.
     */
    markErased: async ({ id, owner, createdAt }: CheckItem, now: Date): Promise<boolean> => {
      const item: ErasedItem = { id, owner, erasedAt: now.toISOString(), dueAt: at(now.getTime() + ERASED_MS) };
      const put = new PutCommand({
        TableName,
        Item: { ...checkKey(id), open: OPEN_CHECKS, ...item },
        ConditionExpression: 'createdAt = :seen',
        ExpressionAttributeValues: { ':seen': createdAt },
        ReturnValues: 'ALL_OLD',
      });
      const marked = await onlyIf(db.send(put));
      if (!marked) return false;
      const { countedOn, completedAt } = parse(CheckItem, marked.Attributes ?? {});
      if (countedOn && !completedAt) await uncount(db, TableName, owner, countedOn);
      return true;
    },

    /**
     * Deletes every run of an erased check, whatever its state, and its pointer: whoever is at work on it is refused from
     * then on. Gives how many it found; undefined where no mark stands, and nothing is deleted. A run that a create wrote
     * since it was read stays, for the next try.
     */
    eraseRuns: async (checkId: string): Promise<number | undefined> => {
      const { check, runs } = await itemsOf(checkId);
      if (!check?.erasedAt) return undefined;
      const deleted = await Promise.allSettled(
        runs.map(async ({ pk, sk, token }) => {
          const mine = { ':token': token };
          await remove(pointerKey(String(sk).replace('RUN#', '')), 'checkId = :checkId', { ':checkId': checkId });
          await remove({ pk: String(pk), sk: String(sk) }, '#token = :token', mine);
        }),
      );
      for (const each of deleted) if (each.status === 'rejected') throw each.reason;
      return runs.length;
    },

    /** Deletes the mark of an erased check, unless somebody acted on it since it was read. */
    unmark: ({ id, dueAt }: ErasedItem) => remove(checkKey(id), 'dueAt = :seen', { ':seen': dueAt }),
  };
};

type RunRef = Pick<RunItem, 'checkId' | 'id'>;
type Change = {
  set: Record<string, unknown>;
  remove?: string[];
  when: string;
  values: Record<string, unknown>;
};

const at = (milliseconds: number) => new Date(milliseconds).toISOString();

/** DynamoDB deletes what has expired within days, each item by itself: till then it is there, and counts no more. */
const isExpired = ({ expiresAt }: CheckItem) => expiresAt !== undefined && expiresAt * 1000 < Date.now();
const whereNoneStands = () => ({
  ConditionExpression: 'attribute_not_exists(pk) OR expiresAt < :now',
  ExpressionAttributeValues: { ':now': Math.floor(Date.now() / 1000) },
});

const leaseFrom = (id: string, now: Date) => ({
  lease: { id, until: at(now.getTime() + LEASE_MS) },
  dueAt: at(now.getTime() + LEASE_MS + LEASE_SLACK_MS),
});

/** The condition of everything that a lease's holder writes. */
const held = (lease: Lease) => ({
  when: '#state = :running AND lease.id = :mine',
  values: { ':running': 'running', ':mine': lease.id },
});

const expression = ({ set, remove = [], when, values }: Change) => {
  const entries = Object.entries(set).filter(([, value]) => value !== undefined);
  const names = [...entries.map(([name]) => name), ...remove, ...(when.includes('#state') ? ['state'] : [])];
  const sets = entries.map(([name]) => `#${name} = :set_${name}`).join(', ');
  return {
    UpdateExpression: `SET ${sets}${remove.length > 0 ? ` REMOVE ${remove.map((name) => `#${name}`).join(', ')}` : ''}`,
    ConditionExpression: `attribute_exists(pk) AND (${when})`,
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...values,
      ...Object.fromEntries(entries.map(([name, value]) => [`:set_${name}`, value])),
    },
    ReturnValues: 'ALL_NEW' as const,
  };
};
