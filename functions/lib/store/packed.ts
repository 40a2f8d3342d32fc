import zlib from 'node:zlib';

/*
 * DynamoDB bills a write by the size of the whole item, so large texts of items that are often written are compressed.
 * The fastest level makes them 4 % longer than the default one, in a quarter of its time.
 */

/** Returns a value as compressed JSON. Equal values give equal bytes. */
export const pack = (value: unknown): Uint8Array => zlib.deflateRawSync(JSON.stringify(value), { level: 1 });

/** Returns the value of compressed JSON, or undefined if it is damaged. */
export const unpack = (packed: unknown): unknown => {
  try {
    return JSON.parse(zlib.inflateRawSync(packed as Uint8Array).toString());
  } catch {
    return undefined;
  }
};
