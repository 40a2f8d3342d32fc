export type Slots = ReturnType<typeof slots>;

/** Whom a slot is for: who says nothing is one owner with one queue. */
type Place = { owner: string; queue: string };

/**
 * At most `count` at work. Who waits is served in turn: first the owner that was served longest ago, of its queues the one
 * that was, there first come first served. Taking a slot answers the function that gives it back, once.
 */
export const slots = (count: number) => {
  let free = count;
  let served = 0;
  const lastServed = new Map<string, number>(); // how many had been served before, by owner and by owner and queue
  const waiting: (Place & { take: () => void })[] = [];

  const turnOf = ({ owner, queue }: Place) =>
    [lastServed.get(owner) ?? 0, lastServed.get(`${owner} ${queue}`) ?? 0] as const;
  const note = ({ owner, queue }: Place) => {
    served++;
    lastServed.set(owner, served).set(`${owner} ${queue}`, served);
  };
  const next = () => {
    let first = 0;
    let best = [Infinity, Infinity] as readonly [number, number];
    for (const [i, place] of waiting.entries()) {
      const turn = turnOf(place);
      if (turn[0] < best[0] || (turn[0] === best[0] && turn[1] < best[1])) [first, best] = [i, turn];
    }
    return waiting.splice(first, 1)[0];
  };
  const giveBack = () => {
    const place = next();
    if (!place) free++;
    else {
      note(place);
      place.take();
    }
  };
  return async (signal: AbortSignal, { owner = '', queue = '' }: Partial<Place> = {}): Promise<() => void> => {
    signal.throwIfAborted();
    if (free > 0) {
      free--;
      note({ owner, queue });
    } else {
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          waiting.splice(waiting.indexOf(place), 1);
          reject(signal.reason);
        };
        const take = () => {
          signal.removeEventListener('abort', leave);
          resolve();
        };
        const place = { owner, queue, take };
        waiting.push(place);
        signal.addEventListener('abort', leave, { once: true });
      });
    }
    return giveBack;
  };
};
