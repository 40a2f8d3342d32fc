import { pipeline } from 'node:stream';
import { createInflateRaw } from 'node:zlib';

/** Smallest header of a gzipped file, in bytes. */
const HEADER = 10;
/** Flags of the header that announce further parts of it. */
const [CHECKSUM, EXTRA, NAME, COMMENT] = [2, 4, 8, 16];

export const isGzip = ([first, second]: Uint8Array): boolean => first === 0x1f && second === 0x8b;

/** Unzips a gzipped file. As browsers do, it ignores a text behind the end, which caches append. Node's gunzip refuses one. */
export const gunzip = (parts: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  pipeline(withoutHeader(parts), createInflateRaw(), () => {});

async function* withoutHeader(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let start: Uint8Array | undefined = new Uint8Array();
  for await (const part of parts) {
    if (start === undefined) {
      yield part;
      continue;
    }
    start = Buffer.concat([start, part]);
    const end = headerEnd(start);
    if (end === undefined) continue;
    yield start.subarray(end);
    start = undefined;
  }
}

/** Returns where the header of a gzipped file ends, or undefined if more bytes are needed. */
const headerEnd = (bytes: Uint8Array): number | undefined => {
  const flags = bytes[3] ?? 0;
  let end = HEADER;
  if (flags & EXTRA) end += 2 + (bytes[end] ?? 0) + 256 * (bytes[end + 1] ?? 0);
  for (const part of [NAME, COMMENT]) {
    if (!(flags & part)) continue;
    const zero = bytes.indexOf(0, end);
    if (zero === -1) return undefined;
    end = zero + 1;
  }
  if (flags & CHECKSUM) end += 2;
  return end < bytes.length ? end : undefined;
};
