import type { Condition, Operand, Path } from './resolved.ts';
import { bytesOf, compare, equal, type Item, isSet, typeOf, type Value } from './values.ts';

/** Returns the value at a path, or undefined. */
export const valueAt = (path: Path, item: Item): Value | undefined => {
  let value: Value | undefined = { M: item };
  for (const part of path) value = typeof part === 'number' ? value?.L?.[part] : ownValue(value?.M, part);
  return value;
};
const ownValue = (map: Item | undefined, name: string) => (map && Object.hasOwn(map, name) ? map[name] : undefined);

/** Returns true if a condition holds for an item. A missing item is empty. */
export const holds = (condition: Condition, item: Item): boolean => {
  const { kind, args } = condition;
  if (kind === 'and') return args.every((each) => holds(each as Condition, item));
  if (kind === 'or') return args.some((each) => holds(each as Condition, item));
  if (kind === 'not') return !holds(args[0] as Condition, item);
  const [first, ...others] = (args as Operand[]).map((each) => operandValue(each, item));
  return kind === 'call' ? calls[condition.name as string]?.(first, others[0]) === true : compared(kind, first, others);
};

type Maybe = Value | undefined;

const operandValue = (operand: Operand, item: Item): Maybe => {
  if (operand.kind === 'value') return operand.value;
  if (operand.kind === 'path') return valueAt(operand.path, item);
  const [argument] = operand.args.map((each) => operandValue(each, item)); // `size` is the only call in an operand
  const size = argument && sizeOf(argument);
  return size === undefined ? undefined : { N: String(size) };
};

const sizeOf = (value: Value): number | undefined => {
  const type = typeOf(value);
  if (type === 'S') return value.S?.length;
  if (type === 'B') return bytesOf(value.B as string).length;
  if (type === 'L' || isSet(type)) return value[type]?.length;
  return type === 'M' ? Object.keys(value.M as Item).length : undefined;
};

const compared = (kind: Condition['kind'], first: Maybe, others: Maybe[]): boolean => {
  const [second, third] = others;
  if (kind === '=') return Boolean(first && second && equal(first, second));
  if (kind === '<>') return !(first && second && equal(first, second));
  if (kind === 'in') return others.some((each) => first && each && equal(first, each));
  const order = first && second && compare(first, second);
  if (order === undefined) return false;
  if (kind === 'between') return order >= 0 && Boolean(third) && (compare(first as Value, third as Value) ?? 1) <= 0;
  return kind === '<' ? order < 0 : kind === '<=' ? order <= 0 : kind === '>' ? order > 0 : order >= 0;
};

const calls: Record<string, (value: Maybe, argument: Maybe) => boolean> = {
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
    if (value.L) return value.L.some((each) => equal(each, part));
    if (value.S !== undefined) return part.S !== undefined && value.S.includes(part.S);
    if (value.B !== undefined) return part.B !== undefined && bytesOf(value.B).includes(bytesOf(part.B));
    const [set, one] = [value.SS ?? value.NS ?? value.BS, value.SS ? part.S : value.NS ? part.N : part.B];
    return one !== undefined && set?.includes(one) === true;
  },
};
