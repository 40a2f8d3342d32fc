import { invalid } from './errors.ts';
import type { Action, Condition, Path, Test } from './expressions.ts';
import { bytesOf, compare, equal, type Item, type Value } from './values.ts';

type Maybe = Value | undefined;

/** Returns the value at a path, or undefined. */
const valueAt = (path: Path, item: Item): Maybe => {
  let value: Maybe = { M: item };
  for (const name of path) value = value?.M && Object.hasOwn(value.M, name) ? value.M[name] : undefined;
  return value;
};

/** Returns true if a condition holds for an item. A missing item is empty. */
export const holds = (condition: Condition, item: Item): boolean =>
  condition.every((tests) =>
    tests.some(({ kind, path, values: [first, second] }) => passes[kind](valueAt(path, item), first, second)),
  );

/** Returns a number below, of or above 0, or NaN if the values have no order. */
const order = (a: Maybe, b: Maybe): number => (a && b && compare(a, b)) ?? Number.NaN;
const areEqual = (a: Maybe, b: Maybe): boolean => Boolean(a && b && equal(a, b));
const isBetween = (value: Maybe, low: Maybe, high: Maybe) => order(value, low) >= 0 && order(value, high) <= 0;

const contains = (value: Maybe, part: Maybe): boolean => {
  if (!value || !part) return false;
  if (value.S !== undefined) return part.S !== undefined && value.S.includes(part.S);
  if (value.B !== undefined) return part.B !== undefined && bytesOf(value.B).includes(bytesOf(part.B));
  return value.L?.some((each) => equal(each, part)) === true;
};

const sizeOf = ({ S, B, L, M }: Value): number =>
  (S ?? L ?? (B === undefined ? M && Object.keys(M) : bytesOf(B)))?.length ?? Number.NaN;

const passes: Record<Test['kind'], (value: Maybe, first?: Value, second?: Value) => boolean> = {
  exists: (value) => value !== undefined,
  absent: (value) => value === undefined,
  '=': areEqual,
  '<>': (value, other) => !areEqual(value, other),
  '<': (value, other) => order(value, other) < 0,
  '<=': (value, other) => order(value, other) <= 0,
  '>': (value, other) => order(value, other) > 0,
  '>=': (value, other) => order(value, other) >= 0,
  contains,
  lacks: (value, part) => !contains(value, part),
  'size <=': (value, size) => value !== undefined && sizeOf(value) <= Number(size?.N),
  'begins with': (value, start) => value?.S?.startsWith(start?.S ?? '') === true,
  between: isBetween,
  outside: (value, low, high) => !isBetween(value, low, high),
};

/** Changes an item by an update. */
export const update = (item: Item, actions: readonly Action[]): void => {
  for (const { kind, path, values } of actions) {
    const map = valueAt(path.slice(0, -1), item)?.M;
    const name = path.at(-1) as string;
    if (!map) throw invalid('The document path provided in the update expression is invalid for update');
    const [first, second] = values;
    const before = valueAt(path, item);
    if (kind === 'remove') delete map[name];
    else if (kind === 'add') setOwn(map, name, sum(before ?? first, second));
    else setOwn(map, name, (kind === 'set' ? first : (before ?? first)) as Value);
  }
};

/** Adds two numbers as JavaScript does, because the stores read the sum as such a number. */
const sum = (a: Maybe, b: Maybe): Value => {
  if (a?.N !== undefined && b?.N !== undefined) return { N: String(Number(a.N) + Number(b.N)) };
  throw invalid('An operand in the update expression has an incorrect data type');
};

/** Returns the parts of an item at some paths, as `UPDATED_NEW` shows them. */
export const partsOf = (item: Item, paths: readonly Path[]): Item => {
  const parts: Item = {};
  for (const path of paths) {
    const value = valueAt(path, item);
    if (!value) continue;
    let map = parts;
    for (const name of path.slice(0, -1)) {
      if (!Object.hasOwn(map, name)) setOwn(map, name, { M: {} });
      map = (map[name] as Value).M as Item;
    }
    setOwn(map, path.at(-1) as string, value);
  }
  return parts;
};

/** Sets an attribute of any name, such as `__proto__`. */
const setOwn = (map: Item, name: string, value: Value): void => {
  Object.defineProperty(map, name, { value, enumerable: true, configurable: true, writable: true });
};
