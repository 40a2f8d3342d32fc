import { v5 as uuidv5 } from 'uuid';
import { HOLD_MS } from '../../../shared/service/due-times.ts';
import { unlessAhead } from '../../../shared/times.ts';
import { forgetEvents, judgeScheduled, type PageEvent } from '../schedules/watch-schedule.ts';
import type { CheckStore } from '../store/checks.ts';
import type { DeliveryItem, DeliveryStore } from '../store/deliveries.ts';
import type { StoredCheck } from '../store/find-check.ts';
import type { ListStore } from '../store/lists.ts';
import type { ScheduleStore } from '../store/schedules.ts';
import type { WebhookItem, WebhookStore } from '../store/webhooks.ts';

type Deps = {
  checks: Pick<CheckStore, 'findOfAnyOwner'>;
  webhooks: Pick<WebhookStore, 'list'>;
  deliveries: Pick<DeliveryStore, 'create' | 'find' | 'settleCheck'>;
  schedules: Pick<ScheduleStore, 'find' | 'putWatch'>;
  lists: Pick<ListStore, 'runs'>;
  now: () => Date;
};

/**
 * Makes one delivery of each event of a closed check for each webhook that existed when the check was closed. Each has the same
 * id and key in a repetition. Then takes the check out of the open items. Returns the deliveries without a try.
 */
export const makeDeliveries = async (deps: Deps, checkId: string): Promise<DeliveryItem[]> => {
  const { checks, webhooks, deliveries, now } = deps;
  const found = await checks.findOfAnyOwner(checkId);
  if (!found?.item.completedAt) return []; // erased
  const { owner, completedAt } = found.item;
  const events = await judgeScheduled(deps, found);
  const receivers = (await webhooks.list(owner)).filter(
    (each) => !each.disabledAt && (unlessAhead(each.createdAt, HOLD_MS, now()) ?? '') <= completedAt,
  );
  const all = receivers.flatMap((webhook) => deliveriesFor(webhook, found, events));
  for (const delivery of all) await deliveries.create({ ...delivery, owner }, now());
  if (events.length > 0) await forgetEvents(deps, found);
  await deliveries.settleCheck(found.item);
  const made = await Promise.all(all.map(deliveries.find));
  return made.filter((each) => each?.tries === 0) as DeliveryItem[];
};

/** Returns the new deliveries of a check for a webhook: of the events that it receives. */
const deliveriesFor = (
  { id: webhookId, events: received }: WebhookItem,
  { item }: StoredCheck,
  events: PageEvent[],
) => {
  const { id: checkId, createId, completedAt } = item;
  const common = { webhookId, checkId, createId, createdAt: completedAt as string };
  const ofCheck = { ...common, id: uuidv5(`${checkId}\n${createId}`, webhookId), event: 'check.completed' };
  const ofPages = events.map(({ type: event, region, metrics, pool, since }) => ({
    ...common,
    event,
    region,
    metrics,
    pool,
    since,
    id: uuidv5(`${checkId}\n${createId}\n${event}\n${region}`, webhookId),
  }));
  return [ofCheck, ...ofPages].filter(({ event }) => received.includes(event));
};
