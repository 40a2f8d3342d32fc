export type Slots = ReturnType<typeof slots>;

/** At most `count` at work, first come first served. Taking one answers the function that gives it back, once. */
export const slots = (count: number) => {
  let free = count;
  const waiting: (() => void)[] = [];
  const giveBack = () => {
    const next = waiting.shift();
    if (next) next();
    else free++;
  };
  return async (signal: AbortSignal): Promise<() => void> => {
    signal.throwIfAborted();
    if (free > 0) free--;
    else {
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          waiting.splice(waiting.indexOf(take), 1);
          reject(signal.reason);
        };
        const take = () => {
          signal.removeEventListener('abort', leave);
          resolve();
        };
        waiting.push(take);
        signal.addEventListener('abort', leave, { once: true });
      });
    }
    return giveBack;
  };
};
