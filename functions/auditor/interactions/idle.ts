import type { HTTPRequest } from 'puppeteer-core';
import type { Requests } from '../child/quiet-page.ts';

/** Time without a sign of work after which the page has answered an interaction, in milliseconds. */
const QUIET_MS = 1000;
const POLL_MS = 100;

type Options = {
  requests: Requests;
  /** Requests that were under way before, such as a stream or a picture that never ends. */
  endless: ReadonlySet<HTTPRequest>;
  /** Returns how much the page has reported. */
  count?: () => Promise<number>;
  signal: AbortSignal;
};

/** Waits until the page has neither requested nor reported anything for a while. */
export const untilIdle = async ({ requests, endless, count = async () => 0, signal }: Options): Promise<void> => {
  let seen = '';
  let changedAt = performance.now();
  while (!signal.aborted && performance.now() - changedAt < QUIET_MS) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const late = new Promise((resolve) => setTimeout(resolve, QUIET_MS, 'busy'));
    const now = `${requests.begun} ${await Promise.race([count(), late])}`;
    const isLoading = [...requests.inFlight].some((request) => !endless.has(request));
    if (now !== seen || isLoading) changedAt = performance.now();
    seen = now;
  }
};
