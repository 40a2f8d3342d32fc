import type { CDPSession } from 'puppeteer-core';
import { openIsolatedWorld } from '../child/page-probe.ts';
import type { Entry } from './entries.ts';

/** Reads what the page reported since the start of an interaction. */
export type Observer = { count(): Promise<number>; read(): Promise<Entry[]> };

/** Observes events and route changes from now on, beside the scripts of the page. */
export const observe = async (session: CDPSession): Promise<Observer> => {
  const evaluate = await openIsolatedWorld(session);
  await evaluate(`globalThis.observed = (${observer})()`);
  return {
    count: async () => Number(await evaluate('observed.length')),
    read: async () => JSON.parse(String(await evaluate('observed.flush(), JSON.stringify(observed)'))),
  };
};

/** Fields that only some types of entries have. */
type Recorded = {
  target?: Element | null;
  largestContentfulPaint?: { size: number; renderTime: number; startTime: number };
};

/** Runs in the page, so that it may name nothing outside itself. */
const observer = () => {
  const selectorOf = (element: Element | null | undefined): string | null => {
    const parts: string[] = [];
    for (let each = element; each && parts.length < 5; each = each.parentElement) {
      const classes = [...each.classList].slice(0, 2).map((name) => `.${name}`);
      parts.unshift(each.localName + (each.id ? `#${each.id}` : classes.join('')));
      if (each.id) break;
    }
    return parts.join(' > ') || null;
  };
  const list: Entry[] = [];
  /** Notes the element of an event, because the entry of the event has none if a handler removes the element. */
  const note = ({ type, timeStamp, target }: Event): void => {
    list.push({ entryType: 'event', name: type, startTime: timeStamp, selector: selectorOf(target as Element) });
  };
  for (const type of ['pointerdown', 'pointerup', 'click', 'keydown', 'keyup']) {
    addEventListener(type, note, { capture: true, passive: true });
  }
  const take = (entries: PerformanceEntryList): void => {
    for (const entry of entries as (PerformanceEntry & Entry & Recorded)[]) {
      const { entryType, name, startTime, interactionId, value, hadRecentInput, largestContentfulPaint: paint } = entry;
      list.push({
        entryType,
        name,
        startTime,
        interactionId,
        value,
        hadRecentInput,
        size: paint?.size,
        paintedAt: paint?.renderTime || paint?.startTime,
        selector: selectorOf(entry.target),
      });
    }
  };
  const types = ['event', 'soft-navigation', 'interaction-contentful-paint', 'layout-shift', 'longtask'];
  const observers = types
    .filter((type) => PerformanceObserver.supportedEntryTypes.includes(type))
    .map((type) => {
      const each = new PerformanceObserver((found) => take(found.getEntries()));
      each.observe({ type, durationThreshold: 16 } as PerformanceObserverInit); // the smallest one of Event Timing
      return each;
    });
  const flush = () => {
    for (const each of observers) take(each.takeRecords());
  };
  return Object.assign(list, { flush });
};
