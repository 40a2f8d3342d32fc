/** Bytes of bodies that the gateway holds at once. */
const ROOM_BYTES = 64 * 2 ** 20;
/** Time that a body waits for room, in milliseconds. Sixteen of the largest at once need less. */
export const WAIT_MS = 120_000;
/** Time that a client has to send a body, in milliseconds. */
export const BODY_MS = 20_000;
/** Bodies of this size need no room. */
const SMALL_BYTES = 256 * 2 ** 10;

/** A body that waits for room, and its owner. */
type Waiting = { bytes: number; owner: string | undefined; enter: () => void };

/**
 * Bounds the memory of all large bodies that are received and handled at once. A client that sends slowly holds its room for
 * a bounded time only, and the others wait for theirs. An owner has at most half of the room.
 */
export const bodyRoom = (total = ROOM_BYTES, waitMs = WAIT_MS) => {
  let free = total;
  const held = new Map<string, number>();
  const waiting: Waiting[] = [];
  const hasShare = ({ bytes, owner }: Waiting) =>
    owner === undefined || (held.get(owner) ?? 0) + bytes <= Math.max(total / 2, bytes);
  const change = (bytes: number, owner: string | undefined) => {
    free -= bytes;
    if (owner === undefined) return;
    const after = (held.get(owner) ?? 0) + bytes;
    if (after > 0) held.set(owner, after);
    else held.delete(owner);
  };
  /** Lets in those that fit, in their order. One that waits for its own owner keeps nobody else out. */
  const enterAll = () => {
    for (const next of [...waiting]) {
      if (!hasShare(next)) continue;
      if (next.bytes > free) return;
      waiting.splice(waiting.indexOf(next), 1);
      change(next.bytes, next.owner);
      next.enter();
    }
  };
  return {
    /** Takes room. Returns the function that gives it back, or undefined if there is none in time. */
    take: async (bytes: number, owner?: string): Promise<(() => void) | undefined> => {
      if (bytes <= SMALL_BYTES) return () => {};
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(entry), 1);
        resolve(false);
        enterAll(); // a smaller body may fit now
      }, waitMs);
      const enter = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const entry = { bytes, owner, enter };
      waiting.push(entry);
      enterAll();
      let isHeld = await promise;
      if (!isHeld) return undefined;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        change(-bytes, owner);
        enterAll();
      };
    },
  };
};
