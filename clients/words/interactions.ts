import type { InteractionRunView } from '../../shared/interactions/interactions-schemas.ts';
import { interactionMetrics } from '../../shared/interactions/metrics.ts';
import type { RunView } from '../../shared/run.ts';
import type { Section } from './section.ts';

const { inp, tbt, cls } = interactionMetrics;

/** Returns the results of the interactions of a run. */
export const interactionSection = ({ interactions }: Pick<RunView, 'interactions'>): Section => ({
  id: 'interactions',
  title: 'After the load',
  columns: ['Interaction', inp.shortTitle, tbt.shortTitle, cls.shortTitle, 'Longest event', 'Route change'],
  rows: (interactions ?? []).map((each) => ({ name: each.name, cells: cellsOf(each), note: each.reason })),
});

const ms = (text: string | null): string => (text === null ? '–' : text.replace(/ms$/, ' ms'));

const waitsOf = (waited: string): string => (waited === '0ms' ? '' : `, without ${ms(waited)} of waits for a CPU`);

const cellsOf = ({ longestEvent, softNavigation, ...values }: InteractionRunView): string[] => [
  ms(values.inp) + (values.inp === null || values.cpuSlowdown === 1 ? '' : `, CPU ${values.cpuSlowdown} × slower`),
  ms(values.tbt),
  values.cls === null ? '–' : String(Math.round(values.cls * 1000) / 1000),
  longestEvent
    ? `${longestEvent.type}${longestEvent.selector ? ` on ${longestEvent.selector}` : ''}: ${ms(longestEvent.inputDelay)} before, ${ms(longestEvent.processing)} in and ${ms(longestEvent.presentation)} after its handlers${waitsOf(longestEvent.waited)}`
    : '–',
  softNavigation ? `${softNavigation.url}, LCP ${ms(softNavigation.lcp)}` : '–',
];
