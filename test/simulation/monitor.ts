import { LEASE_MS } from '../../shared/due-times.ts';
import { plans } from '../../shared/plans.ts';
import { type Attempt, countFailures, MAX_ATTEMPTS } from '../../shared/run.ts';
import type { EmbeddedBucket } from './embedded-bucket.ts';
import type { EmbeddedTable, Item, TableCall } from './embedded-table.ts';
import { type Defect, droppedAnswer, keyOfCall } from './planted-defects.ts';
import type { Context, Timeline } from './timeline.ts';

type Options = {
  timeline: Timeline;
  table: EmbeddedTable;
  bucket: EmbeddedBucket;
  violated: (what: string) => void;
  defect: Defect | undefined;
};
type Lease = { id: string; until: string };
type RunImage = Item & {
  state: string;
  lease?: Lease;
  attempts: Attempt[];
  report?: { key: string };
};

/** Greatest difference of a process's clock from the exact one, in milliseconds. */
export const MAX_CLOCK_OFFSET_MS = 15_000;

/** Watches every write to the table, and keeps an image of its items. */
export const monitorTable = ({ timeline, table, bucket, violated, defect }: Options) => {
  const images = new Map<string, Item>();
  const leases = new WeakMap<object, string>(); // the lease that an invocation has claimed

  const writtenAt = new Map<string, number>(); // when a lease was claimed or renewed last, by its id

  /** True if every clock says that the lease holds, also after the wall clock was set back. */
  const isLive = ({ id, until }: Lease) =>
    Date.parse(until) > timeline.wallNow() + 2 * MAX_CLOCK_OFFSET_MS &&
    timeline.now() < (writtenAt.get(id) ?? 0) + LEASE_MS - 2 * MAX_CLOCK_OFFSET_MS;

  const onRun = (before: RunImage | undefined, after: RunImage, { invocation }: Context, writer: string) => {
    const [from, to] = [before?.lease, after.lease];
    if (from && to && from.id !== to.id && isLive(from)) {
      violated(`two holders of a lease: ${writer} claimed ${after.sk}, whose lease was valid until ${from.until}`);
    }
    const own = leases.get(invocation);
    const claims = to && to.id !== from?.id;
    if (own !== undefined && before && from?.id !== own && !(claims && to.id === own)) {
      violated(`${writer} wrote to ${after.sk} after it had lost its lease`);
    }
    if (to && to.until !== from?.until) writtenAt.set(to.id, timeline.now());
    if (claims) leases.set(invocation, to.id);
    if (before && isFinal(before) && JSON.stringify(before) !== JSON.stringify(after)) {
      violated(`${writer} changed ${after.sk}, which had finished: ${before.state} to ${after.state}`);
    }
    if (after.state === 'succeeded' && !(after.report && bucket.objects.has(after.report.key))) {
      violated(`${after.sk} succeeded without a stored report`);
    }
    if (countFailures(after.attempts) > MAX_ATTEMPTS) violated(`${after.sk} has too many failed attempts`);
  };

  const onCheck = (before: Item | undefined, after: Item) => {
    if (before?.completedAt && after.completedAt && before.completedAt !== after.completedAt) {
      violated(`${after.pk} was closed twice`);
    }
    const runs = (after.runIds as string[] | undefined)?.map((id) =>
      images.get(keyOf({ pk: after.pk, sk: `RUN#${id}` })),
    );
    if (runs && after.completedAt && !runs.every((run) => run && isFinal(run))) {
      violated(`${after.pk} was closed before its runs had finished`);
    }
    const open = [...images.values()].filter((each) => each.owner === after.owner && isOpenCheck(each));
    if (open.length > plans.small.openChecks) violated('an owner has too many open checks');
  };

  const onNewEntry = ({ pk, list }: Item) => {
    if (list && images.get(keyOf({ pk, sk: 'CHECK' }))?.erasedAt) violated(`the erased ${pk} is back in a list`);
  };

  return {
    images,
    /** Lets the table handle a call, and checks the change. */
    onCall: async (call: TableCall, context: Context) => {
      const key = keyOfCall(call);
      if (defect?.drops?.(call, key)) return droppedAnswer;
      const answer = await table.call(call);
      const isWrite = /^(Put|Update|Delete)Item$/.test(call.operation);
      if (!isWrite || answer.status !== 200) return answer;
      const [before, after] = [images.get(keyOf(key)), await table.read({ pk: { S: key.pk }, sk: { S: key.sk } })];
      if (after) images.set(keyOf(key), after);
      else images.delete(keyOf(key));
      if (!after || JSON.stringify(before) === JSON.stringify(after)) return answer;
      if (key.pk.startsWith('CHECK#') && key.sk.startsWith('RUN#')) {
        onRun(before as RunImage | undefined, after as RunImage, context, context.process.name);
      }
      if (key.sk === 'CHECK') onCheck(before, after);
      if (key.sk.startsWith('TREND#') && !before) onNewEntry(after);
      return answer;
    },
    /** Returns the time at which the next open item is due, by the wall clock. */
    nextDueAt: (): number =>
      Math.min(
        ...[...images.values()].map(({ dueAt }) => (dueAt ? Date.parse(dueAt as string) : Number.POSITIVE_INFINITY)),
      ),
    /** Returns true if a check exists and is not erased. */
    hasCheck: (checkId: string): boolean => {
      const check = images.get(keyOf({ pk: `CHECK#${checkId}`, sk: 'CHECK' }));
      return check !== undefined && !check.erasedAt;
    },
  };
};
export type Monitor = ReturnType<typeof monitorTable>;

export const keyOf = ({ pk, sk }: { pk: string; sk: string }): string => `${pk} ${sk}`;
export const isFinal = ({ state }: Item): boolean => state === 'succeeded' || state === 'failed';
const isOpenCheck = ({ sk, erasedAt, completedAt }: Item): boolean => sk === 'CHECK' && !erasedAt && !completedAt;
