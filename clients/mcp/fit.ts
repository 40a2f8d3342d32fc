import { z } from 'zod';
import { cutText } from '../../shared/text.ts';

/** Size limit of an answer as JSON, in bytes of UTF-8, without `limit` and with it. */
export const MAX_BYTES = 2000;
const MAX_LIMITED_BYTES = 32_000;
const MAX_LIMIT = 50;
/** Lengths of texts, in characters. The first is for each answer without `limit`, the others are for one that is too large. */
const TEXT_LENGTHS = [500, 200, 100, 50];

export const Limit = z.int().min(1).max(MAX_LIMIT).optional().describe('Most entries of each list.');

type Parts = {
  /** Returns the answer with so many rows, and so many entries in each of the other lists. */
  build: (rows: number, entries: number) => object;
  rows: number;
  /** Fewest entries of the other lists. */
  least?: number;
  limit: number | undefined;
};

/**
 * Returns an answer that is small enough for an agent. It keeps the rows as long as shorter lists make room. `cut` says that
 * something is left out.
 */
export const fitted = ({ build, rows: all, least = 0, limit }: Parts): object => {
  const whole = JSON.stringify(build(all, Number.POSITIVE_INFINITY));
  const isSmall = (answer: object) => bytesOf(answer) <= (limit === undefined ? MAX_BYTES : MAX_LIMITED_BYTES);
  const marked = (answer: object) => (JSON.stringify(answer) === whole ? answer : { ...answer, cut: noteOn(limit) });
  const [length = 0, ...shorter] = TEXT_LENGTHS;
  const steps = [limit ?? 10, 20, 10, 5, 3, 2, 1, 0].filter((entries) => entries >= least && entries <= (limit ?? 10));
  for (let rows = Math.min(all, limit ?? all); rows > 0 || all === 0; rows -= 1) {
    for (const entries of steps) {
      const answer = build(rows, entries);
      const shown = marked(limit === undefined ? withShortTexts(answer, length) : answer);
      if (isSmall(shown)) return shown;
    }
    if (all === 0) break;
  }
  const answers = shorter.map((each) => marked(withShortTexts(build(Math.min(all, 1), least), each)));
  return answers.find(isSmall) ?? (answers.at(-1) as object);
};

export const bytesOf = (value: object): number => Buffer.byteLength(JSON.stringify(value));

const noteOn = (limit = 0): string =>
  limit < MAX_LIMIT
    ? `This answer is cut. Call the tool again with a larger limit, of at most ${MAX_LIMIT}, for more.`
    : 'This answer is cut. Its page has everything.';

/** Texts of which a part is useless. */
const wholeTexts = ['page', 'nextCursor'];

/** Returns the value with shorter texts. */
export const withShortTexts = <T>(value: T, length: number): T => {
  if (typeof value === 'string') return cutText(value, length) as T;
  if (Array.isArray(value)) return value.map((each) => withShortTexts(each, length)) as T;
  if (value === null || typeof value !== 'object') return value;
  const fields = Object.entries(value).map(([name, each]) => [
    name,
    wholeTexts.includes(name) ? each : withShortTexts(each, length),
  ]);
  return Object.fromEntries(fields);
};

/** Returns a value with short lists, and without its unknown values. Returns undefined if nothing of it is left. */
export const compact = (value: unknown, most: number): unknown => {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value))
    return value.length === 0 || most === 0 ? undefined : value.slice(0, most).map((each) => compact(each, most));
  if (typeof value !== 'object') return value;
  const fields = Object.entries(value)
    .map(([name, each]) => [name, compact(each, most)] as const)
    .filter(([, each]) => each !== undefined);
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
};
