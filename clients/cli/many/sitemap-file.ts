import { markedEncoding } from '../text-file.ts';
import { gunzip, isGzip } from './gunzip.ts';
import { peek } from './peek.ts';

/** Bytes in which the declaration of an XML file stands. */
const DECLARATION = 256;

const join = (start: Uint8Array | undefined, part: Uint8Array): Uint8Array =>
  start === undefined ? part : Buffer.concat([start, part]);

/** Unzips a gzipped file, such as `sitemap.xml.gz`. The content decides, not the name. */
export async function* unzipped(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { start, all } = await peek(body, join, ({ length }) => length >= 2);
  yield* start && isGzip(start) ? gunzip(all) : all;
}

/**
 * Decodes a file as it arrives. A byte order mark names its encoding, or else its `Content-Type`, or else the declaration of
 * XML. Without one, or with an unknown one, it is UTF-8.
 */
export async function* decodedText(bytes: AsyncIterable<Uint8Array>, type: string | null): AsyncGenerator<string> {
  const { start = new Uint8Array(), all } = await peek(bytes, join, ({ length }) => length >= DECLARATION);
  const declaration = Buffer.from(start.subarray(0, DECLARATION)).toString('latin1');
  const [, charset] = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type ?? '') ?? [];
  const [, declared] = /^\s*<\?xml[^>]*?\bencoding\s*=\s*["']([^"']+)/.exec(declaration) ?? [];
  const decoder = decoderOf(markedEncoding(start) ?? charset ?? declared ?? 'utf-8');
  for await (const part of all) yield decoder.decode(part, { stream: true });
  yield decoder.decode();
}

const decoderOf = (label: string): TextDecoder => {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder(); // the label is unknown
  }
};
