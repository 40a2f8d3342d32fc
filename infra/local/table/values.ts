import { isDeepStrictEqual } from 'node:util';
import { compareNumbers, sizeOfNumber } from './numbers.ts';

/** A value in DynamoDB's JSON. It has one type. */
export type Value = {
  S?: string;
  N?: string;
  B?: string; // base64
  BOOL?: boolean;
  NULL?: boolean;
  SS?: string[];
  NS?: string[];
  BS?: string[];
  L?: Value[];
  M?: Item;
};
export type Item = Record<string, Value>;
export type Type = keyof Value;
export const types = ['S', 'N', 'B', 'BOOL', 'NULL', 'SS', 'NS', 'BS', 'L', 'M'] as const satisfies Type[];

export const typeOf = (value: Value): Type => Object.keys(value)[0] as Type;
export const isSet = (type: Type | undefined): type is 'SS' | 'NS' | 'BS' =>
  type === 'SS' || type === 'NS' || type === 'BS';

export const equal = (a: Value, b: Value): boolean => {
  const type = typeOf(a);
  if (type !== typeOf(b)) return false;
  if (isSet(type)) return isDeepStrictEqual(new Set(a[type]), new Set(b[type]));
  if (type === 'L') return sameLength(a.L, b.L) && (a.L ?? []).every((each, i) => equal(each, b.L?.[i] as Value));
  if (type === 'M') {
    const names = Object.keys(a.M ?? {});
    return (
      sameLength(names, Object.keys(b.M ?? {})) &&
      names.every((name) => Boolean(b.M?.[name]) && equal(a.M?.[name] as Value, b.M?.[name] as Value))
    );
  }
  return a[type] === b[type];
};
const sameLength = (a: unknown[] = [], b: unknown[] = []): boolean => a.length === b.length;

/** Returns -1, 0 or 1 for two texts, numbers or binaries, or undefined if they have no order. */
export const compare = (a: Value, b: Value): number | undefined => {
  const type = typeOf(a);
  if (type !== typeOf(b)) return undefined;
  if (type === 'N') return compareNumbers(a.N as string, b.N as string);
  if (type === 'S') return Buffer.compare(Buffer.from(a.S as string), Buffer.from(b.S as string));
  if (type === 'B') return Buffer.compare(bytesOf(a.B as string), bytesOf(b.B as string));
  return undefined;
};

export const bytesOf = (base64: string): Buffer => Buffer.from(base64, 'base64');

/** Returns the size of an item as DynamoDB counts it, in bytes. */
export const sizeOfItem = (item: Item): number => {
  let size = 0;
  for (const name in item) size += Buffer.byteLength(name) + sizeOf(item[name] as Value);
  return size;
};

const sizeOf = (value: Value): number => {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return sizeOfNumber(value.N);
  if (value.B !== undefined) return bytesOf(value.B).length;
  if (value.M !== undefined) return 3 + Object.keys(value.M).length + sizeOfItem(value.M);
  if (value.L !== undefined) return sum(value.L, (each) => 1 + sizeOf(each), 3);
  if (value.SS !== undefined) return sum(value.SS, Buffer.byteLength);
  if (value.NS !== undefined) return sum(value.NS, sizeOfNumber);
  if (value.BS !== undefined) return sum(value.BS, (each) => bytesOf(each).length);
  return 1;
};

const sum = <T>(values: T[], sizeOfOne: (value: T) => number, start = 0): number =>
  values.reduce((total, each) => total + sizeOfOne(each), start);
