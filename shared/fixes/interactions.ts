import { type EventPart, eventParts, msOf } from '../interactions/event-parts.ts';
import type { InteractionRun } from '../interactions/interactions-schemas.ts';
import { interactionMetricId } from '../interactions/metric-ids.ts';
import { interactionMetrics } from '../interactions/metrics.ts';
import type { Device } from '../options/audit-options.ts';
import { cutText } from '../text.ts';
import type { Fix, FixItem } from './fix.ts';
import { MAX_ITEMS, noSavings } from './fixes.ts';

const DOCUMENTATION = 'https://web.dev/articles/optimize-inp';
const MAX_SNIPPET = 300;

/** The parts of an event, and where its time is lost. */
const places: Readonly<Record<EventPart, string>> = {
  inputDelay: 'before its handlers',
  processing: 'in its handlers',
  presentation: 'between its handlers and the paint',
};

/** Returns an entry for each interaction that is slower than a good one, the slowest first. No points depend on it. */
export const fixesOfInteractions = (
  interactions: readonly InteractionRun[] | null,
  { device, contended }: { device: Device; contended: boolean },
): Fix[] =>
  (interactions ?? [])
    .filter(({ inp }) => (inp ?? 0) > interactionMetrics.inp.limits[device][0])
    .toSorted((a, b) => (b.inp ?? 0) - (a.inp ?? 0))
    .map((interaction) => {
      const items = itemsOf(interaction);
      return {
        audit: interactionMetricId({ interaction: interaction.name, metric: 'inp' }),
        title: titleOf(interaction),
        category: 'interactions',
        points: null,
        savings: noSavings,
        items: items.slice(0, MAX_ITEMS),
        itemCount: items.length,
        contended,
        documentation: DOCUMENTATION,
      };
    });

const titleOf = ({ name, inp, longestEvent }: InteractionRun): string => {
  const text = `${interactionMetrics.inp.shortTitle} of ${name} is ${msText(inp ?? 0)}`;
  if (!longestEvent) return text;
  const [most = 'processing'] = eventParts.toSorted((a, b) => longestEvent[b] - longestEvent[a]);
  return `${text}: its ${longestEvent.type} loses ${msText(longestEvent[most])} ${places[most]}`;
};

const msText = (ms: number): string => `${Math.round(ms)} ms`;

/** Returns the scripts of the longest event, or its element if no script ran. */
const itemsOf = ({ longestEvent }: InteractionRun): FixItem[] => {
  if (!longestEvent) return [];
  const { selector, scripts } = longestEvent;
  const item = { url: null, selector, snippet: null, bytes: null, ms: null };
  if (scripts.length === 0) return selector === null ? [] : [item];
  return scripts.map((script) => ({
    ...item,
    url: script.url,
    selector: null,
    snippet: script.function === null ? null : cutText(`${script.function}()`, MAX_SNIPPET),
    ms: Math.round(msOf(script)),
  }));
};
