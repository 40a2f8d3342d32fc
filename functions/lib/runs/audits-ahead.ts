/** Starts the audit of a step. Calls `onMeasured` when its timed part is over. */
type Start<Step, Result> = (step: Step, signal: AbortSignal, onMeasured: () => void) => Promise<Result>;

/**
 * Runs audits one after another. The next one starts when the timed part of the current one is over. The untimed parts of an
 * audit then overlap with the next audit.
 */
export const auditsAhead = <Step extends object, Result>(start: Start<Step, Result>) => {
  let ahead: ReturnType<typeof begin> | undefined;
  let isOver = false;

  const begin = (step: Step) => {
    const cancelling = new AbortController();
    const measured = Promise.withResolvers<void>();
    const result = start(step, cancelling.signal, measured.resolve);
    result.catch(() => {}); // nobody awaits the result of a cancelled audit
    return { step, result, measured: measured.promise, cancel: () => cancelling.abort() };
  };
  /** Returns the audit that was started for this step, or starts it. Cancels an audit that was started for another step. */
  const take = (step: Step) => {
    const started = ahead;
    ahead = undefined;
    if (started && isEqual(started.step, step)) return started;
    started?.cancel();
    return begin(step);
  };
  return {
    /** Resolves with the result of a step. `following` returns the step that comes next if this one gives a sample. */
    run: async (step: Step, following: () => Step | undefined): Promise<Result> => {
      const current = take(step);
      current.measured.then(() => {
        const next = isOver ? undefined : following();
        if (next) ahead = begin(next);
      });
      return current.result;
    },
    /** Cancels the audit that nobody waits for. */
    [Symbol.dispose]: () => {
      isOver = true;
      ahead?.cancel();
    },
  };
};

const isEqual = <Step extends object>(a: Step, b: Step): boolean => JSON.stringify(a) === JSON.stringify(b);
