import { countUsed } from '../../shared/check.ts';
import { plans } from '../../shared/service/plans.ts';
import { type Defect, droppedAnswer, keyOfCall } from './defects/defect.ts';
import type { EmbeddedBucket } from './embedded-bucket.ts';
import type { EmbeddedTable, Item, TableCall } from './embedded-table.ts';
import { itemPromises } from './item-promises.ts';
import { isFinal, type RunImage, runPromises } from './run-promises.ts';
import type { Audits } from './simulated-auditors.ts';
import type { Context, Timeline } from './timeline.ts';
import { type Usage, usagePromises } from './usage-promises.ts';

type Options = {
  timeline: Timeline;
  table: EmbeddedTable;
  bucket: EmbeddedBucket;
  violated: (what: string) => void;
  audits: Audits;
  defect: Defect | undefined;
};

/** Watches every write to the table, and keeps an image of its items. */
export const monitorTable = ({ timeline, table, bucket, audits, violated, defect }: Options) => {
  const images = new Map<string, Item>();
  const onRun = runPromises({ timeline, bucket, audits, violated });

  const items = itemPromises({ timeline, images, violated });
  const runsOf = ({ pk, runIds }: Item) =>
    (runIds as string[]).map((id) => images.get(keyOf({ pk, sk: `RUN#${id}` })) as Item);
  const unusedOf = (check: Item): number =>
    check.reserved ? (check.reserved as { audits: number }).audits - countUsed(runsOf(check) as never) : 0;
  const unusedBy = (id: string) => unusedOf(images.get(keyOf({ pk: `CHECK#${id}`, sk: 'CHECK' })) as Item);
  const { onUsage, isRefunded } = usagePromises({ plan: 'small', violated, unusedBy });

  /** A check takes a token for each sample of each variant in each region. */
  const onCounted = ({ id, owner, runIds, samples = 1, against }: Item) => {
    const usage = images.get(keyOf({ pk: `OWNER#${owner}`, sk: 'USAGE' })) as Usage | undefined;
    const [counted, audits] = [
      usage?.creating?.[id as string]?.audits,
      (runIds as string[]).length * (samples === 'auto' ? 12 : (samples as number)) * (against ? 2 : 1),
    ];
    if (counted !== audits) violated(`the check ${id} counts as ${counted} audits, and needs ${audits}`);
  };

  const onCheck = (before: Item | undefined, after: Item) => {
    if (!before && after.countsAsOpen) onCounted(after);
    const isCounted = images.has(keyOf({ pk: `OPENCHECK#${after.owner}`, sk: String(after.id) }));
    if (!before && after.countsAsOpen && !isCounted) violated(`the new ${after.pk} does not count as open`);
    if (before?.completedAt && after.completedAt && before.completedAt !== after.completedAt) {
      violated(`${after.pk} was closed twice`);
    }
    const runs = (after.runIds as string[] | undefined)?.map((id) =>
      images.get(keyOf({ pk: after.pk, sk: `RUN#${id}` })),
    );
    if (runs && after.completedAt && !runs.every((run) => run && isFinal(run))) {
      violated(`${after.pk} was closed before its runs had finished`);
    }
    if (after.completedAt && unusedOf(after) > 0 && !isRefunded(after.createId as string))
      violated(`the closed ${after.pk} has no refund`);
    const open = [...images.values()].filter((each) => each.owner === after.owner && isOpenCheck(each));
    if (open.length > plans.small.openChecks) violated('an owner has too many open checks');
  };

  const onNewEntry = ({ pk, list }: Item) => {
    if (list && images.get(keyOf({ pk, sk: 'CHECK' }))?.erasedAt) violated(`the erased ${pk} is back in a list`);
  };

  return {
    images,
    markedAt: items.markedAt,
    ownerOf: items.ownerOf,
    /** Lets the table handle a call, and checks the change. */
    onCall: async (call: TableCall, context: Context) => {
      const key = keyOfCall(call);
      if (key.sk) defect?.alters?.(call, key);
      if (defect?.drops?.(call, key)) return droppedAnswer;
      const answer = await table.call(call);
      const isWrite = /^(Put|Update|Delete)Item$/.test(call.operation);
      if (!isWrite || answer.status !== 200) return answer;
      const [before, after] = [images.get(keyOf(key)), await table.read({ pk: { S: key.pk }, sk: { S: key.sk } })];
      if (after) images.set(keyOf(key), after);
      else images.delete(keyOf(key));
      items.onWrite(before, after, keyOf(key));
      if (!after || JSON.stringify(before) === JSON.stringify(after)) return answer;
      if (key.sk === 'USAGE') onUsage(before as never, after);
      if (key.pk.startsWith('CHECK#') && key.sk.startsWith('RUN#')) {
        onRun(before as RunImage | undefined, after as RunImage, context);
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
const isOpenCheck = ({ sk, erasedAt, completedAt }: Item): boolean => sk === 'CHECK' && !erasedAt && !completedAt;
