import type { CDPSession, Page } from 'puppeteer-core';
import { msOf } from '../../../shared/interactions/event-parts.ts';
import { INTERACTION_MS, type Interaction, stepText } from '../../../shared/interactions/interactions.ts';
import type { InteractionRun } from '../../../shared/interactions/interactions-schemas.ts';
import { slowdownOf } from '../../../shared/options/throttling.ts';
import { cutText } from '../../../shared/text.ts';
import type { Watched } from '../child/main-frame.ts';
import { asksForPassword, canRunScripts } from '../child/page-probe.ts';
import { type Requests, watchRequests } from '../child/quiet-page.ts';
import type { Waits } from '../cpu-waits.ts';
import type { LoadSettings } from '../lighthouse/result.ts';
import type { Lighthouse } from '../lighthouse/run.ts';
import { emulateDevice, type Measured, startTimespan } from '../lighthouse/timespan.ts';
import { isAtLogin, isRefusal, isSamePlace } from '../login-page.ts';
import type { AuditOrder } from '../messages.ts';
import { BLANK, type Departure, followPage } from './departure.ts';
import { type Entry, selectorOf, softNavigationOf } from './entries.ts';
import { type FreshPage, openFreshPage } from './fresh-page.ts';
import { untilIdle } from './idle.ts';
import type { MeasuredInteraction } from './messages.ts';
import { observe } from './observe.ts';
import { perform } from './perform.ts';

/** Time limit for the tab of the second load. */
const FRESH_MS = 15_000;
/** Time limit for the page's second load. */
const LOAD_MS = 20_000;
/** The same if the first load did not end, and only its time limit ended it. */
const ENDLESS_LOAD_MS = 10_000;
/** Time limit for an answer of the page at the ends of a timespan. */
const END_MS = 15_000;
/** Time limit for the report of a timespan. Lighthouse waits 30 s for the styles of a page whose frame never ends. */
const REPORT_MS = 40_000;
const MAX_REASON = 500;

export type InteractionContext = {
  lighthouse: Lighthouse;
  order: AuditOrder;
  settings: LoadSettings;
  page: Page;
  session: CDPSession;
  watched: Watched;
  /** Resolves to true if the first load showed a password field. */
  asked: Promise<boolean> | undefined;
};

/** The CPU, which audits use in turns. */
export type Turn = {
  /** Waits until the interaction may use the CPU. */
  startTimed: () => Promise<unknown>;
  /** Gives the CPU back. Returns the waits since its start. */
  endTimed: () => Promise<Waits>;
};

/** Returns the result of an interaction that was not measured. */
export const notMeasured = ({ name }: Interaction, order: AuditOrder, reason: string): MeasuredInteraction => ({
  name,
  inp: null,
  tbt: null,
  cls: null,
  lcp: null,
  longestEvent: null,
  softNavigation: null,
  navigatedTo: null,
  cpuSlowdown: slowdownOf(order.options) ?? 1,
  reason: cutText(reason, MAX_REASON),
});

/**
 * Loads the page again as at first, so that each sample starts from the same state, and measures the interactions one after
 * another. An interaction that fails costs only itself. After a page that hangs or is gone, there is nothing to measure.
 */
export const measureInteractions = async (
  load: InteractionContext,
  turn: Turn,
  onResult: (index: number, result: MeasuredInteraction) => void,
): Promise<void> => {
  const { order } = load;
  const interactions = order.options.interactions ?? [];
  const again = await loadAgain(load).catch(reasonOf('The page did not load again'));
  let stopped = typeof again === 'string' ? again : undefined;
  for (const [index, interaction] of interactions.entries()) {
    const result =
      stopped !== undefined || typeof again === 'string'
        ? notMeasured(interaction, order, stopped ?? '')
        : await measureOne(again.context, turn, interaction, again.requests);
    if (result === 'hung') {
      onResult(index, notMeasured(interaction, order, HUNG));
      stopped = `The page did not respond since the interaction ${interaction.name}.`;
    } else onResult(index, result);
    if (result !== 'hung' && result.navigatedTo === BLANK)
      stopped ??= `The page went to ${BLANK} in the interaction ${interaction.name}.`;
  }
};

/** Loads the page in a fresh tab. Returns the tab, and the requests of its page. */
const loadAgain = async (load: InteractionContext): Promise<{ context: InteractionContext; requests: Requests }> => {
  const { order, lighthouse, settings } = load;
  const fresh = await inTime(openFreshPage(load.page, order), FRESH_MS);
  const requests = watchRequests(fresh.page);
  await emulateDevice(lighthouse, fresh.session, settings);
  const visit = (url: string) => goTo(url, fresh, requests, load.watched.record.loaded ? LOAD_MS : ENDLESS_LOAD_MS);
  await visit(order.url); // its redirects may set the cookies of a login
  const [first, shown] = [load.watched.shown, fresh.watched.shown];
  if (first && shown && !isSamePlace(first.url, shown.url)) await visit(first.url);
  await requireSameVisitor(load, fresh);
  return { context: { ...load, ...fresh }, requests };
};

/** Loads a page and waits until it is quiet. Accepts a page whose load never ends, as the audit does. */
const goTo = async (
  url: string,
  { page, session, watched }: FreshPage,
  requests: Requests,
  timeout: number,
): Promise<void> => {
  const loaded = page.goto(url, { waitUntil: 'load', timeout });
  const endless = await loaded.then(
    () => new Set<never>(),
    async (error: Error) => {
      if (!watched.shown || !(await canRunScripts(session))) throw error;
      return new Set(requests.inFlight); // a picture may never end, and a user would not wait for it
    },
  );
  await untilIdle({ requests, endless, signal: AbortSignal.timeout(INTERACTION_MS) });
};

/** Throws if the page refuses its visitor, leads to a login or shows one in its own place, and did not in the first load. */
const requireSameVisitor = async (load: InteractionContext, { session, watched }: FreshPage): Promise<void> => {
  const [first, second] = [load.watched.shown, watched.shown];
  if (!first || !second) return;
  const isRefusedNow = isRefusal(second.status) && !isRefusal(first.status);
  const seen = { asksForPassword: await asksForPassword(session), status: second.status };
  const isAskedNow = seen.asksForPassword && !(await load.asked);
  if (isRefusedNow || isAskedNow || isAtLogin(first.url, second.url, seen))
    throw new Error(`${second.url} asks for a login, and the first load was not asked. ${USED_UP}`);
};
const USED_UP = 'A secret that works only once is used up. Send one that works twice.';

const HUNG = `The page did not respond within ${INTERACTION_MS / 1000} s.`;
const reasonOf = (what: string) => (error: Error) => `${what}: ${error.message}`;

const measureOne = async (
  context: InteractionContext,
  { startTimed, endTimed }: Turn,
  interaction: Interaction,
  requests: Requests,
): Promise<MeasuredInteraction | 'hung'> => {
  const { lighthouse, order, session } = context;
  await startTimed();
  let isTimed = true;
  const giveBack = () => {
    isTimed = false;
    return endTimed();
  };
  try {
    const end = await inTime(startTimespan(lighthouse, context, { onTraced: giveBack }), END_MS);
    const observer = await inTime(observe(session), END_MS);
    const departure = await inTime(followPage(context), END_MS);
    const signal = AbortSignal.timeout(INTERACTION_MS);
    const endless = new Set(requests.inFlight);
    const act = async () => {
      const failure = await performAll(context, interaction, signal);
      await untilIdle({ requests, endless, count: () => observer.count().catch(() => 0), signal });
      return { failure, entries: await observer.read().catch(() => []) }; // a document that the page left has none
    };
    const { failure, entries } = await untilEnded(act(), session);
    const left = await inTime(departure(), END_MS);
    const measured = await inTime(end(), REPORT_MS);
    return failure
      ? {
          ...notMeasured(interaction, order, left.text === null ? failure : `${left.text} ${failure}`),
          navigatedTo: left.to,
        }
      : resultOf(interaction, order, { measured, entries, left });
  } catch (error) {
    if (error === LATE) return 'hung';
    return notMeasured(interaction, order, reasonOf('Lighthouse could not measure it')(error as Error));
  } finally {
    if (isTimed) await giveBack();
  }
};

type Acted = { failure: string | undefined; entries: Entry[] };

/** Waits for the end of an interaction. Ends a script of the page that keeps the page from responding. */
const untilEnded = async (acted: Promise<Acted>, session: CDPSession): Promise<Acted> => {
  try {
    return await inTime(acted, INTERACTION_MS);
  } catch (error) {
    if (error !== LATE) throw error;
  }
  if (await canRunScripts(session)) return inTime(acted, END_MS);
  await inTime(session.send('Runtime.terminateExecution'), END_MS);
  if (!(await canRunScripts(session))) throw LATE;
  return { failure: `${HUNG} The service ended its script.`, entries: [] };
};

const LATE = new Error('The page does not respond.');
const inTime = <Value>(answer: Promise<Value>, ms: number): Promise<Value> => {
  answer.catch(() => {}); // it may fail after its time
  return Promise.race([answer, new Promise<never>((_, reject) => setTimeout(reject, ms, LATE))]);
};

/** Performs the steps. Returns why one of them failed. */
const performAll = async (
  { page, order }: InteractionContext,
  { steps }: Interaction,
  signal: AbortSignal,
): Promise<string | undefined> => {
  for (const [i, step] of steps.entries()) {
    try {
      if (signal.aborted) throw new Error(`It did not begin within ${INTERACTION_MS / 1000} s.`);
      await perform(page, step, order, signal);
    } catch (error) {
      return `Step ${i + 1} (${stepText(step)}) failed: ${(error as Error).message}`;
    }
  }
  return undefined;
};

type Found = { measured: Measured; entries: Entry[]; left: Departure };

const resultOf = (
  { name }: Interaction,
  order: AuditOrder,
  { measured, entries, left }: Found,
): MeasuredInteraction => {
  const { longest, tbt, cls, report } = measured;
  const softNavigation = softNavigationOf(entries);
  const missing = longest ? null : 'The steps caused no event that INP counts: a click, a tap or a key.';
  return {
    name,
    inp: longest ? msOf(longest) : null,
    tbt,
    cls,
    lcp: softNavigation?.lcp ?? null,
    longestEvent: longest ? eventOf(longest, entries) : null,
    softNavigation,
    navigatedTo: left.to,
    cpuSlowdown: slowdownOf(order.options) ?? 1,
    reason: left.text ?? missing,
    report,
  };
};

const eventOf = (
  { timeStamp, ...event }: NonNullable<Measured['longest']>,
  entries: readonly Entry[],
): InteractionRun['longestEvent'] => ({
  ...event,
  selector: selectorOf(entries, event.type, timeStamp),
});
