import type { ServerResponse } from 'node:http';

/** Returns signals that tell running requests to answer at once: their clients disconnect, or the gateway closes. */
export const requestSignals = () => {
  const running = new Set<AbortController>();
  let closed = false;
  return {
    of: (response: ServerResponse): AbortSignal => {
      const controller = new AbortController();
      if (closed) controller.abort();
      running.add(controller);
      response.once('close', () => {
        running.delete(controller);
        controller.abort();
      });
      return controller.signal;
    },
    abort: (): void => {
      closed = true;
      for (const controller of running) controller.abort();
    },
  };
};
