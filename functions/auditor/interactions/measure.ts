import type { CDPSession, Page } from 'puppeteer-core';
import { msOf } from '../../../shared/interactions/event-parts.ts';
import { INTERACTION_MS, type Interaction, stepText } from '../../../shared/interactions/interactions.ts';
import type { InteractionRun } from '../../../shared/interactions/interactions-schemas.ts';
import { slowdownOf } from '../../../shared/options/throttling.ts';
import { cutText } from '../../../shared/text.ts';
import type { Watched } from '../child/main-frame.ts';
import { canRunScripts } from '../child/page-probe.ts';
import { type Requests, watchRequests } from '../child/quiet-page.ts';
import type { Waits } from '../cpu-waits.ts';
import type { LoadSettings } from '../lighthouse/result.ts';
import type { Lighthouse } from '../lighthouse/run.ts';
import { emulateDevice, type Measured, startTimespan } from '../lighthouse/timespan.ts';
import type { AuditOrder } from '../messages.ts';
import { BLANK, type Departure, followPage } from './departure.ts';
import { type Entry, selectorOf, softNavigationOf } from './entries.ts';
import { openFreshPage } from './fresh-page.ts';
import type { MeasuredInteraction } from './messages.ts';
import { observe } from './observe.ts';
import { perform } from './perform.ts';

/** Time without a sign of work after which the page has answered an interaction, in milliseconds. */
const QUIET_MS = 1000;
const POLL_MS = 100;
/** Time limit for the tab of the second load. */
const FRESH_MS = 15_000;
/** Time limit for the page's second load. */
const LOAD_MS = 20_000;
/** Time limit for the end of a timespan, whose gatherers ask the page. */
const END_MS = 15_000;
const MAX_REASON = 500;

export type InteractionContext = {
  lighthouse: Lighthouse;
  order: AuditOrder;
  /** Settings of the load. */
  settings: LoadSettings;
  page: Page;
  session: CDPSession;
  watched: Watched;
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
  ...{ name, inp: null, tbt: null, cls: null, lcp: null },
  ...{ longestEvent: null, softNavigation: null, navigatedTo: null },
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
  const { page, session, watched } = fresh;
  const requests = watchRequests(page);
  await emulateDevice(lighthouse, session, settings);
  const loaded = page.goto(load.watched.shown?.url ?? order.url, { waitUntil: 'load', timeout: LOAD_MS });
  await loaded.catch(async (error: Error) => {
    const isShown = error.name === 'TimeoutError' && watched.shown !== undefined;
    if (!isShown || !(await canRunScripts(session))) throw error; // a picture may never end, and a user would not wait for it
  });
  await untilQuiet(requests, async () => 0, AbortSignal.timeout(INTERACTION_MS));
  return { context: { ...load, ...fresh }, requests };
};

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
    const act = async () => {
      const failure = await performAll(context, interaction, signal);
      await untilQuiet(requests, () => observer.count().catch(() => 0), signal);
      return { failure, entries: await observer.read().catch(() => []) }; // a document that the page left has none
    };
    const { failure, entries } = await untilEnded(act(), session);
    const left = await inTime(departure(), END_MS);
    const measured = await inTime(end(), END_MS);
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

/** Waits until the page has neither requested nor reported anything for a while. */
const untilQuiet = async (requests: Requests, count: () => Promise<number>, signal: AbortSignal): Promise<void> => {
  let seen = '';
  let changedAt = performance.now();
  while (!signal.aborted && performance.now() - changedAt < QUIET_MS) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const now = `${requests.begun} ${await Promise.race([count(), new Promise((late) => setTimeout(late, QUIET_MS, 'busy'))])}`;
    if (now !== seen || requests.inFlight.size > 0) changedAt = performance.now();
    seen = now;
  }
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
    ...{ tbt, cls, lcp: softNavigation?.lcp ?? null },
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
