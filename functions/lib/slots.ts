export type Slots = ReturnType<typeof slots>;

/** The holder of a slot. All holders without an owner and a queue count as one owner with one queue. */
type Place = { owner: string; queue: string };

/**
 * Returns a fair semaphore with at most `count` holders. It serves the least recently served owner first, then the least
 * recently served queue of that owner, then first in, first out. Acquiring a slot resolves with its `release` function,
 * which must be called once.
 */
export const slots = (count: number) => {
  let free = count;
  let servedCount = 0;
  const lastServed = new Map<string, number>(); // value of `servedCount`, by owner and by owner with queue
  const waiting: (Place & { acquire: () => void })[] = [];

  const lastServedAt = ({ owner, queue }: Place) =>
    [lastServed.get(owner) ?? 0, lastServed.get(`${owner} ${queue}`) ?? 0] as const;
  const markServed = ({ owner, queue }: Place) => {
    servedCount++;
    lastServed.set(owner, servedCount).set(`${owner} ${queue}`, servedCount);
  };
  const next = () => {
    let first = 0;
    let best = [Infinity, Infinity] as readonly [number, number];
    for (const [i, place] of waiting.entries()) {
      const last = lastServedAt(place);
      if (last[0] < best[0] || (last[0] === best[0] && last[1] < best[1])) [first, best] = [i, last];
    }
    return waiting.splice(first, 1)[0];
  };
  const release = () => {
    const place = next();
    if (!place) free++;
    else {
      markServed(place);
      place.acquire();
    }
  };
  return async (signal: AbortSignal, { owner = '', queue = '' }: Partial<Place> = {}): Promise<() => void> => {
    signal.throwIfAborted();
    if (free > 0) {
      free--;
      markServed({ owner, queue });
    } else {
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          waiting.splice(waiting.indexOf(place), 1);
          reject(signal.reason);
        };
        const acquire = () => {
          signal.removeEventListener('abort', leave);
          resolve();
        };
        const place = { owner, queue, acquire };
        waiting.push(place);
        signal.addEventListener('abort', leave, { once: true });
      });
    }
    return release;
  };
};
