import { invalid } from './errors.ts';
import type { Action, Condition, Operand, Path } from './expressions.ts';
import { bytesOf, compare, equal, type Item, typeOf, type Value } from './values.ts';

type Maybe = Value | undefined;

/** Returns the value at a path, or undefined. */
const valueAt = (path: Path, item: Item): Maybe => {
  let value: Maybe = { M: item };
  for (const name of path) value = value?.M && Object.hasOwn(value.M, name) ? value.M[name] : undefined;
  return value;
};

/** Returns true if a condition holds for an item. A missing item is empty. */
export const holds = (condition: Condition, item: Item): boolean => {
  if ('parts' in condition) {
    if (condition.kind === 'and') return condition.parts.every((part) => holds(part, item));
    return condition.parts.some((part) => holds(part, item)) === (condition.kind === 'or');
  }
  const [first, second, third] = condition.operands.map((operand) => resultOf(operand, item));
  if (condition.kind === 'in')
    return condition.operands.slice(1).some((operand) => areEqual(first, resultOf(operand, item)));
  return tests[condition.kind]?.(first, second, third) === true;
};

const areEqual = (a: Maybe, b: Maybe): boolean => Boolean(a && b && equal(a, b));
/** Returns a number below, of or above 0, or NaN if the values have no order. */
const order = (a: Maybe, b: Maybe): number => (a && b && compare(a, b)) ?? Number.NaN;

const tests: Record<string, (value: Maybe, second: Maybe, third: Maybe) => boolean> = {
  '=': areEqual,
  '<>': (value, other) => !areEqual(value, other),
  '<': (value, other) => order(value, other) < 0,
  '<=': (value, other) => order(value, other) <= 0,
  '>': (value, other) => order(value, other) > 0,
  '>=': (value, other) => order(value, other) >= 0,
  between: (value, low, high) => order(value, low) >= 0 && order(value, high) <= 0,
  attribute_exists: (value) => value !== undefined,
  attribute_not_exists: (value) => value === undefined,
  attribute_type: (value, type) => value !== undefined && typeOf(value) === type?.S,
  begins_with: (value, start) => {
    if (value?.S !== undefined && start?.S !== undefined) return value.S.startsWith(start.S);
    if (value?.B === undefined || start?.B === undefined) return false;
    const bytes = bytesOf(start.B);
    return bytesOf(value.B).subarray(0, bytes.length).equals(bytes);
  },
  contains: (value, part) => {
    if (!value || !part) return false;
    if (value.S !== undefined) return part.S !== undefined && value.S.includes(part.S);
    if (value.B !== undefined) return part.B !== undefined && bytesOf(value.B).includes(bytesOf(part.B));
    return value.L?.some((each) => equal(each, part)) === true;
  },
};

const resultOf = (operand: Operand, item: Item): Maybe => {
  if (operand.kind === 'value') return operand.value;
  if (operand.kind === '+') return sum(...operand.terms, item);
  const value = valueAt(operand.path, item);
  if (operand.kind === 'if_not_exists') return value ?? resultOf(operand.otherwise, item);
  if (operand.kind === 'path' || !value) return value;
  const size = value.S?.length ?? (value.B !== undefined ? bytesOf(value.B).length : undefined) ?? value.L?.length;
  if (size !== undefined) return { N: String(size) };
  return value.M && { N: String(Object.keys(value.M).length) };
};

const required = (operand: Operand, item: Item): Value => {
  const value = resultOf(operand, item);
  if (value) return value;
  throw invalid('The provided expression refers to an attribute that does not exist in the item');
};

/** Adds two numbers as JavaScript does, because the stores read the sum as such a number. */
const sum = (first: Operand, second: Operand, item: Item): Value => {
  const [{ N: a }, { N: b }] = [required(first, item), required(second, item)];
  if (a !== undefined && b !== undefined) return { N: String(Number(a) + Number(b)) };
  throw invalid('An operand in the update expression has an incorrect data type');
};

/** Changes an item by an update. All operands have the values of before the update. */
export const update = (item: Item, actions: readonly Action[]): void => {
  const changes = actions.map(({ path, value }) => ({
    path,
    value: value && structuredClone(required(value, item)), // another action may change the original
  }));
  for (const { path, value } of changes) {
    const map = valueAt(path.slice(0, -1), item)?.M;
    const name = path.at(-1) as string;
    if (!map) throw invalid('The document path provided in the update expression is invalid for update');
    if (value) setOwn(map, name, value);
    else delete map[name];
  }
};

/** Returns the parts of an item at some paths, as a projection or `UPDATED_NEW` shows them. */
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
