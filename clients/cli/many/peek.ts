/** Returns the beginning of a stream, joined until it is enough, and a stream of everything. */
export const peek = async <T>(
  stream: AsyncIterable<T>,
  join: (start: T | undefined, part: T) => T,
  isEnough: (start: T) => boolean,
): Promise<{ start: T | undefined; all: AsyncIterable<T> }> => {
  const parts = stream[Symbol.asyncIterator]();
  let start: T | undefined;
  do {
    const { done, value } = await parts.next();
    if (done) break;
    start = join(start, value);
  } while (!isEnough(start));
  return { start, all: from(start, parts) };
};

/** Yields a part and those after it. Ends the stream when the consumer stops. */
async function* from<T>(start: T | undefined, parts: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    if (start !== undefined) yield start;
    for (let part = await parts.next(); !part.done; part = await parts.next()) yield part.value;
  } finally {
    await parts.return?.();
  }
}
