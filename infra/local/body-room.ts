/** Bytes of bodies that the gateway holds at once. */
const ROOM_BYTES = 64 * 2 ** 20;
/** Time that a body waits for room, and that its client has to send it, in milliseconds. */
const WAIT_MS = 10_000;
export const BODY_MS = 20_000;
/** Bodies of this size need no room. */
const SMALL_BYTES = 256 * 2 ** 10;

/**
 * Bounds the memory of all large bodies that are received and handled at once. A client that sends slowly holds its room for
 * a bounded time only, and the others wait for theirs.
 */
export const bodyRoom = (total = ROOM_BYTES, waitMs = WAIT_MS) => {
  let free = total;
  const waiting: { bytes: number; enter: () => void }[] = [];
  const leave = (bytes: number) => {
    free += bytes;
    while (waiting[0] && waiting[0].bytes <= free) {
      const next = waiting.shift() as (typeof waiting)[number];
      free -= next.bytes;
      next.enter();
    }
  };
  return {
    /** Takes room. Returns the function that gives it back, or undefined if there is none in time. */
    take: async (bytes: number): Promise<(() => void) | undefined> => {
      if (bytes <= SMALL_BYTES) return () => {};
      let isHeld = true;
      const giveBack = () => {
        if (isHeld) leave(bytes);
        isHeld = false;
      };
      if (waiting.length === 0 && bytes <= free) {
        free -= bytes;
        return giveBack;
      }
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const entry = { bytes, enter: () => resolve(true) };
      waiting.push(entry);
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(entry), 1);
        resolve(false);
        leave(0); // a smaller body may fit now
      }, waitMs);
      entry.enter = () => {
        clearTimeout(timer);
        resolve(true);
      };
      return (await promise) ? giveBack : undefined;
    },
  };
};
