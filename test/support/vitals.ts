import type { MeasuredInteraction } from '../../functions/auditor/interactions/messages.ts';
import type { Vital } from './pages.ts';

/** Returns the last INP that web-vitals reported for events of an element. It knows no element that a handler removed. */
export const inpOf = (vitals: readonly Vital[], target: string | undefined): number | undefined =>
  vitals.findLast((each) => each.name === 'INP' && each.target === target)?.value;

/** Returns the time of the last handler of an element that works, without interruptions by other programs. */
export const workOf = (vitals: readonly Vital[], target: string): number | undefined =>
  vitals.findLast((each) => each.name === 'work' && each.target === target)?.value;

/** Returns the last LCP that web-vitals reported for a route. */
export const routeLcpOf = (vitals: readonly Vital[], route: string): number | undefined =>
  vitals.findLast(
    ({ name, navigationType, url }) => name === 'LCP' && navigationType === 'soft-navigation' && url === route,
  )?.value;

/** Returns the INP with the waits for a CPU, as a page itself sees it. */
export const observedInp = ({ inp, longestEvent }: Pick<MeasuredInteraction, 'inp' | 'longestEvent'>): number | null =>
  inp === null || !longestEvent ? null : inp + longestEvent.waited;
