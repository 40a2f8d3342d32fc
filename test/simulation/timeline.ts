import { AsyncLocalStorage } from 'node:async_hooks';

/** A simulated process: an instance of a function. A dead process runs no code any more. */
export class SimProcess {
  readonly name: string;
  dead = false;
  /** The process runs no code until this time of the timeline. */
  stalledUntil = 0;
  /** Difference of its clock from the wall clock, in milliseconds. */
  clockOffset = 0;
  readonly #onDeath: (() => void)[] = [];

  constructor(name: string) {
    this.name = name;
  }

  kill(): void {
    if (this.dead) return;
    this.dead = true;
    for (const each of this.#onDeath) each();
  }

  onDeath(act: () => void): void {
    this.#onDeath.push(act);
  }
}

/** The process that runs the current code, and its invocation. Undefined in the code of the simulation itself. */
export type Context = { process: SimProcess; invocation: object };
export const contexts = new AsyncLocalStorage<Context>();

export type TimelineEvent = { at: number; order: number; run: () => unknown; context: Context | undefined };

const realSetImmediate = setImmediate;
/** Lets all code go on that waits for no event. */
const settle = () => new Promise<void>((resolve) => realSetImmediate(resolve));

export type Timeline = ReturnType<typeof startTimeline>;

/**
 * Holds what happens next. It runs one event at a time, then waits until no code can go on without another event.
 * The simulated code does no real I/O, so that the order of all its steps depends on the events only.
 */
export const startTimeline = (startAt: number) => {
  const events = new Set<TimelineEvent>();
  let order = 0;
  let now = startAt;
  let wallStep = 0;

  const earliest = (): TimelineEvent | undefined => {
    let first: TimelineEvent | undefined;
    for (const event of events) {
      if (!first || event.at < first.at || (event.at === first.at && event.order < first.order)) first = event;
    }
    return first;
  };

  return {
    /** Time since the start that no clock step changes, in milliseconds. */
    now: (): number => now,
    /** The time that exact clocks show. */
    wallNow: (): number => now + wallStep,
    stepWallClock: (ms: number): void => {
      wallStep += ms;
    },
    /** Runs `run` after `ms`, in a process or in none. */
    after: (ms: number, run: () => unknown, context?: Context): TimelineEvent => {
      const event = { at: now + Math.max(0, ms), order: order++, run, context };
      events.add(event);
      return event;
    },
    cancel: (event: TimelineEvent): void => void events.delete(event),
    sleep(ms: number): Promise<void> {
      return new Promise((resolve) => this.after(ms, resolve));
    },
    /** Runs the next event. Returns false if there is none until the time `until`. */
    step: async (until = Number.POSITIVE_INFINITY): Promise<boolean> => {
      await settle();
      const event = earliest();
      if (!event || event.at > until) return false;
      events.delete(event);
      now = Math.max(now, event.at);
      const process = event.context?.process;
      if (process?.dead) return true;
      if (process && process.stalledUntil > now) {
        events.add({ ...event, at: process.stalledUntil });
        return true;
      }
      await (event.context ? contexts.run(event.context, event.run) : event.run());
      await settle();
      return true;
    },
  };
};
