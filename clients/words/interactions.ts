import type { InteractionRunView } from '../../shared/interactions/interactions-schemas.ts';
import { interactionMetrics } from '../../shared/interactions/metrics.ts';

const { inp, tbt, cls } = interactionMetrics;

/** Columns of a table of interactions. */
export const interactionColumns = [inp.shortTitle, tbt.shortTitle, cls.shortTitle, 'Longest event', 'Route change'];

const ms = (text: string | null): string => (text === null ? '–' : text.replace(/ms$/, ' ms'));

/** Returns the values of an interaction in words, in the order of the columns. */
export const interactionCells = ({ longestEvent, softNavigation, ...values }: InteractionRunView): string[] => [
  ms(values.inp),
  ms(values.tbt),
  values.cls === null ? '–' : String(Math.round(values.cls * 1000) / 1000),
  longestEvent
    ? `${longestEvent.type}${longestEvent.selector ? ` on ${longestEvent.selector}` : ''}: ${ms(longestEvent.inputDelay)} before, ${ms(longestEvent.processing)} in and ${ms(longestEvent.presentation)} after its handlers`
    : '–',
  softNavigation ? `${softNavigation.url}, LCP ${ms(softNavigation.lcp)}` : '–',
];
