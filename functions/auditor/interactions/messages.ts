import type { InteractionRun } from '../../../shared/interactions/interactions-schemas.ts';
import type { InteractionValues } from '../../../shared/interactions/metrics.ts';

/** Messages from the auditor to its parent in an audit with interactions, in place of `audited`. `Load` is its result. */
export type InteractionMessage<Load> =
  | ({ type: 'loaded' } & Load) // the result of the load. Its interactions are not measured yet
  | { type: 'interacted' } // the timed part of an interaction is over
  | { type: 'interaction'; index: number; result: MeasuredInteraction }
  | { type: 'finished' }; // all interactions are over

/** Result of an interaction in one sample. */
export type MeasuredInteraction = InteractionValues &
  Pick<InteractionRun, 'name' | 'longestEvent' | 'softNavigation' | 'navigatedTo' | 'cpuSlowdown' | 'reason'> & {
    report?: { gzip: Buffer; bytes: number };
  };
