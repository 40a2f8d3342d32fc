import { AsyncLocalStorage } from 'node:async_hooks';

export type ScreenshotGatherer = { prototype: { getArtifact(context: unknown): Promise<unknown> } };

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
 * the network has been quiet for a second, or until its timer elapses, so the timer elapses early.
 */
export const shortenScreenshotWait = ({ prototype }: ScreenshotGatherer, watchPage: () => ScreenshotWatch): void => {
  const { getArtifact } = prototype;
  const watches = new AsyncLocalStorage<ScreenshotWatch>();
  prototype.getArtifact = async function (context) {
    const watch = watchPage();
    try {
      return await watches.run(watch, () => getArtifact.call(this, context));
    } finally {
      watch.end();
    }
  };

  const { setTimeout: start } = globalThis;
  const startEndingEarly = (callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
    const watch = ms === RESIZED_MS ? watches.getStore() : undefined;
    watch?.untilQuiet().then(
      (isQuiet) => isQuiet && callback(...args),
      () => {}, // the page answers no more
    );
    return start(callback, ms, ...args);
  };
  globalThis.setTimeout = Object.assign(startEndingEarly, start) as typeof start;
};
