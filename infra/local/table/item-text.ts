import { crc32 } from 'node:zlib';
import type { Item } from './values.ts';

/*
 * The text of an item ends with a checksum, written in white space. JSON may end with white space, so earlier releases read
 * the item. When they write it, they drop the checksum with the text. An item without a checksum is read as it is.
 */

const SIGNS = ' \t\n\r';
const BYTES = Array.from({ length: 256 }, (_, byte) => [0, 2, 4, 6].map((bit) => SIGNS[(byte >>> bit) & 3]).join(''));

const checksumOf = (pk: string, sk: string, json: string): string => {
  const sum = crc32(json, crc32(`${pk}\n${sk}`));
  return [0, 8, 16, 24].map((bit) => BYTES[(sum >>> bit) & 255]).join('');
};

/** Returns an item as its row stores it. */
export const textOf = (pk: string, sk: string, item: Item): string => {
  const json = JSON.stringify(item);
  return json + checksumOf(pk, sk, json);
};

/** Returns the item of a row. One that is not as it was written has `damaged`, which makes it unreadable for the stores. */
export const itemIn = (pk: string, sk: string, text: string): Item => {
  const end = text.lastIndexOf('}') + 1;
  const json = text.slice(0, end);
  const item = parsed(json);
  if (item && (end === text.length || text.slice(end) === checksumOf(pk, sk, json))) return item;
  return { ...item, pk: { S: pk }, sk: { S: sk }, damaged: { BOOL: true } };
};

const parsed = (json: string): Item | undefined => {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
};
