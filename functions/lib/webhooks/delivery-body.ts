import { checkView } from '../../../shared/check.ts';
import type { ComparedMetric } from '../../../shared/comparison/schemas.ts';
import { compareStep, splitNames } from '../../../shared/comparison/watch.ts';
import type { NamedMark } from '../../../shared/marks.ts';
import { mainNames } from '../../../shared/metrics/page-metrics.ts';
import { pick } from '../../../shared/pick.ts';
import { checkSummary } from '../../../shared/summaries.ts';
import type { WebhookFormat } from '../../../shared/webhook-events.ts';
import type { PageEventData } from '../../../shared/webhooks.ts';
import { pageHistory } from '../checks/page-history.ts';
import { marksOfPage } from '../marks/marks-of-page.ts';
import { findChecks } from '../schedules/watch-schedule.ts';
import type { CheckStore } from '../store/checks.ts';
import type { DeliveryItem } from '../store/deliveries.ts';
import { ifReadable } from '../store/dynamodb.ts';
import type { StoredCheck } from '../store/find-check.ts';
import type { ListStore } from '../store/lists.ts';
import type { MarkStore } from '../store/marks.ts';
import { chatBody, type SentEvent } from './chat-formats.ts';

type Deps = {
  checks: Pick<CheckStore, 'findOfAnyOwner'>;
  lists: Pick<ListStore, 'runs'>;
  marks: Pick<MarkStore, 'list'>;
  now: () => Date;
  publicUrl?: string | undefined;
};

/**
 * Returns the body of a delivery, the same on each try, unless an earlier check of the page is erased between two of them.
 * Returns undefined if its own check was erased or can't be read.
 */
export const deliveryBody = async (
  deps: Deps,
  delivery: DeliveryItem,
  format: WebhookFormat,
): Promise<string | undefined> => {
  const event = await eventOf(deps, delivery);
  if (!event || format === 'standard') return event && JSON.stringify(event);
  return JSON.stringify(chatBody(format, event as SentEvent, deps.publicUrl));
};

const eventOf = async (deps: Deps, delivery: DeliveryItem) => {
  const { event: type, createdAt: timestamp, checkId, createId, webhookId } = delivery;
  if (checkId === null) return { type, timestamp, data: { webhookId } };
  const found = await deps.checks.findOfAnyOwner(checkId).catch(ifReadable);
  if (found?.item.createId !== createId) return undefined;
  const data =
    delivery.region === undefined
      ? checkSummary(checkView({ ...found.item, runs: found.runs }))
      : await pageEventData(deps, delivery, found, delivery.region);
  return { type, timestamp, data };
};

/** Returns the last mark of a page between the last check before a step and the first one after it. */
const markBefore = async (
  deps: Pick<Deps, 'marks' | 'lists' | 'now'>,
  { owner, url, device = 'mobile', labels = {} }: StoredCheck['item'],
  first: { createdAt: string },
  after: string | undefined,
): Promise<NamedMark | null> => {
  const ofBranch = labels.branch === undefined ? undefined : { branch: labels.branch }; // no deploy of another branch
  const wanted = { url, device, labels: ofBranch ?? {}, range: {} };
  const last = (await marksOfPage(deps, owner, wanted)).findLast(({ at }) => at <= first.createdAt);
  return last && last.at > (after ?? '') ? pick(last, ['text', 'at']) : null;
};

const pageEventData = async (
  { checks, lists, marks, now, publicUrl = '' }: Deps,
  { event, pool = [], since = [], metrics = [] }: DeliveryItem,
  { item, runs }: StoredCheck,
  region: NonNullable<DeliveryItem['region']>,
): Promise<PageEventData> => {
  const { id: checkId, url, device = 'mobile' } = item;
  const own = { ...item, runs };
  const others = since.filter((id) => id !== checkId);
  const [before, after] = [await findChecks(checks, pool), await findChecks(checks, others)];
  const history = await pageHistory({ lists, now: now() }, item, item.createdAt);
  const compared = compareStep(region, [own, ...after], before, history);
  const [first = own] = after.toReversed();
  const base = compared?.baseCheckId ?? null;
  const mark = await markBefore({ marks, lists, now }, item, first, before[0]?.createdAt);
  const changesOf = <Name extends string>(
    names: readonly Name[],
    ofEvent: readonly Name[],
    comparedOf: (name: Name) => ComparedMetric | undefined,
  ) =>
    names.flatMap((name) => {
      const { verdict: found = null, regions = {} } = comparedOf(name) ?? {};
      if (!ofEvent.includes(name) && found !== 'regressed' && found !== 'improved') return [];
      const change = regions[region];
      // the series has proved it, with more checks than the event shows
      const verdict = ofEvent.includes(name) && event === 'page.regressed' ? ('regressed' as const) : change?.verdict;
      return change && verdict ? [{ name, ...change, verdict }] : [];
    });
  const ofEvent = splitNames(metrics);
  const interactions = compared?.interactions ?? [];
  return {
    scheduleId: item.scheduleId as string,
    url,
    device,
    region,
    checkId,
    baseCheckId: base,
    pooledCheckIds: compared?.pooledCheckIds ?? [],
    since: { ...pick({ ...first, checkId: first.id }, ['checkId', 'createdAt']), mark },
    metrics: changesOf(mainNames, ofEvent.metrics, (name) => compared?.metrics[name]),
    interactions: changesOf(
      interactions.map(({ name }) => name),
      ofEvent.interactions,
      (name) => interactions.find((each) => each.name === name)?.metrics.inp,
    ),
    links: {
      check: `${publicUrl}/checks/${checkId}`,
      comparison: base && `${publicUrl}/comparisons/${base}...${checkId}`,
      page: `${publicUrl}/pages?${new URLSearchParams({ url, device })}`,
    },
  };
};
