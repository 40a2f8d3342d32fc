import { z } from 'zod';
import { partitions } from '../../../shared/service/partitions.ts';

/**
 * Formats of items and of messages in queues that this release reads. It writes the format of the table, which
 * `npm run deploy` and the start of a service on one machine raise to `newest`.
 */
export const formats = { oldest: 1, newest: 1 };

type Typed = Record<string, { N?: string }>;

/** Format of a table without an item that names one. */
const FIRST = 1;
export const formatKey = { pk: partitions.format, sk: partitions.format };
export const FormatItem = z.object({ format: z.int().min(FIRST) });

/** The data have a format that this release does not know. A write could damage them, and a read could misread them. */
export class UnknownFormatError extends Error {}

/** Returns the format that an item of DynamoDB's JSON names. Throws an UnknownFormatError if this release does not know it. */
export const knownFormat = (item: Typed | undefined): number => {
  const format = item === undefined ? FIRST : FormatItem.safeParse({ format: Number(item.format?.N) }).data?.format;
  const { oldest, newest } = formats;
  if (format !== undefined && oldest <= format && format <= newest) return format;
  const found = format === undefined ? 'a format that is no number' : `format ${format}`;
  const known = oldest === newest ? `format ${newest}` : `formats ${oldest} to ${newest}`;
  throw new UnknownFormatError(`The data have ${found}, and this release knows ${known}.`);
};

/** Time for which a process keeps the format that it has read. */
const KEPT_MS = 60_000;

/** Returns a function that returns the format of the table, and reads its item at most once a minute. */
export const formatReader = (readItem: () => Promise<Typed | undefined>): (() => Promise<number>) => {
  let kept: { at: number; format: Promise<number> } | undefined;
  const read = () => {
    const format = readItem().then(knownFormat);
    kept = { at: Date.now(), format };
    format.catch(() => {
      if (kept?.format === format) kept = undefined; // the next request reads it again
    });
    return format;
  };
  return () => (kept && Math.abs(Date.now() - kept.at) < KEPT_MS ? kept.format : read());
};
