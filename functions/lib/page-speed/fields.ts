import { invalidInput } from '../http/input.ts';

/** Fields to keep, by name. `*` stands for each. An empty node keeps the whole value. */
type Mask = Map<string, Mask>;

const MAX_LENGTH = 2000;
const TOKEN = /[(),/.]|[^(),/.\s]+/g;

/**
 * Parses a field mask of Google's APIs: names with commas between them, paths with `/` or `.`, `*` for each field or entry, and
 * parentheses around several fields of one. Throws the problem if the mask is none.
 */
export const parseMask = (text: string): Mask => {
  const tokens = text.match(TOKEN) ?? [];
  let at = 0;
  const fail = () =>
    invalidInput([
      { path: 'fields', message: 'Send a field mask, such as id,lighthouseResult(categories/performance/score).' },
    ]);
  const isName = (token: string | undefined): token is string => token !== undefined && !/^[(),/.]$/.test(token);
  const list = (mask: Mask): Mask => {
    do path(mask);
    while (tokens[at] === ',' && ++at);
    return mask;
  };
  const path = (mask: Mask): void => {
    const name = tokens[at++];
    if (!isName(name)) throw fail();
    const node: Mask = mask.get(name) ?? new Map();
    mask.set(name, node);
    if (tokens[at] === '/' || tokens[at] === '.') {
      at += 1;
      path(node);
    } else if (tokens[at] === '(') {
      at += 1;
      list(node);
      if (tokens[at++] !== ')') throw fail();
    }
  };
  if (text.length > MAX_LENGTH) throw fail();
  const mask = list(new Map());
  if (at < tokens.length) throw fail();
  return mask;
};

/** Returns the parts of a JSON value that a mask names. The entries of a list are masked one by one. */
export const masked = (value: unknown, mask: Mask): unknown => {
  if (mask.size === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const each = mask.size === 1 ? (mask.get('*') ?? mask) : mask;
    return value.map((entry) => masked(entry, each));
  }
  const all = mask.get('*');
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, of]) => {
      const node = mask.get(name) ?? all;
      return node ? [[name, masked(of, node)]] : [];
    }),
  );
};
