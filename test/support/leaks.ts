import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, inflateRawSync } from 'node:zlib';

/**
 * Returns which secrets a text or bytes have: plain, URL-encoded, in hexadecimal, or in base64 at each offset. Looks into gzip streams too,
 * wherever they begin.
 */
export const secretsIn = (bytes: Buffer, secrets: readonly string[], depth = 0): string[] => {
  const found = secrets.filter((secret) => formsOf(secret).some((form) => bytes.includes(form)));
  if (depth > 2) return found;
  for (let at = bytes.indexOf(GZIP); at >= 0; at = bytes.indexOf(GZIP, at + 1)) {
    const unpacked = unpack(bytes.subarray(at));
    if (unpacked) found.push(...secretsIn(unpacked, secrets, depth + 1));
  }
  return [...new Set(found)];
};

/** Returns the files below a folder that have a secret, with the secrets. */
export const leaksIn = (folder: string, secrets: readonly string[]): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap(({ parentPath, name }) =>
      secretsIn(readFileSync(join(parentPath, name)), secrets).map((secret) => `${join(parentPath, name)}: ${secret}`),
    );

const GZIP = Buffer.of(0x1f, 0x8b, 0x08);

const unpack = (bytes: Buffer): Buffer | undefined => {
  try {
    return gunzipSync(bytes);
  } catch {
    try {
      return bytes[3] === 0 ? inflateRawSync(bytes.subarray(10)) : undefined; // something follows the stream
    } catch {
      return undefined;
    }
  }
};

/** A text in base64 depends on its offset in the encoded bytes. The first and last characters mix with its neighbours. */
const formsOf = (secret: string): Buffer[] => {
  const inBase64 = [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]).toString('base64');
    const inner = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + secret.length) * 8) / 6));
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const others = [encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), Buffer.from(secret).toString('hex')];
  return [secret, ...others, ...inBase64].map((form) => Buffer.from(form));
};
