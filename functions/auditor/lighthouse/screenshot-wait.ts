import { AsyncLocalStorage } from 'node:async_hooks';

/** The context of a gatherer. `computedCache` has the results that gatherers and audits share. */
export type GatherContext = { computedCache: Map<string, unknown> };
export type ScreenshotGatherer = { prototype: { getArtifact(context: GatherContext): Promise<unknown> } };

/** Watches the page during a full-page screenshot. */
export type ScreenshotWatch = {
  /** Called after the resize. Resolves with true when the page is quiet, or with false if Lighthouse's own wait counts. */
  untilQuiet: () => Promise<boolean>;
  end: () => void;
};

/** Timer with which every version limits its wait for a quiet network, in milliseconds. It starts when the page is resized. */
const RESIZED_MS = 5000;

/**
 * Ends Lighthouse's wait after the resize for the full-page screenshot as soon as the page is quiet. Lighthouse waits until
 * the network has been quiet for a second, or until its timer elapses, so the timer elapses early. Calls `compute` during
 * the wait.
 */
export const shortenScreenshotWait = (
  { prototype }: ScreenshotGatherer,
  watchPage: () => ScreenshotWatch,
  compute: (context: GatherContext) => void,
): void => {
  const { getArtifact } = prototype;
  const waits = new AsyncLocalStorage<ScreenshotWatch & { context: GatherContext }>();
  prototype.getArtifact = async function (context) {
    const watch = watchPage();
    try {
      return await waits.run({ ...watch, context }, () => getArtifact.call(this, context));
    } finally {
      watch.end();
    }
  };

  const { setTimeout: start } = globalThis;
  const startEndingEarly = (callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
    const wait = ms === RESIZED_MS ? waits.getStore() : undefined;
    wait?.untilQuiet().then(
      (isQuiet) => isQuiet && callback(...args),
      () => {}, // the page answers no more
    );
    if (wait) setImmediate(compute, wait.context); // after the commands to the page are on their way
    return start(callback, ms, ...args);
  };
  globalThis.setTimeout = Object.assign(startEndingEarly, start) as typeof start;
};
