import { invalid, unknown } from './errors.ts';

/** A value in DynamoDB's JSON. It has one type. The stores use no sets. */
export type Value = {
  S?: string;
  N?: string;
  B?: string; // base64
  BOOL?: boolean;
  NULL?: boolean;
  L?: Value[];
  M?: Item;
};
export type Item = Record<string, Value>;
export type Type = keyof Value;
export const types = ['S', 'N', 'B', 'BOOL', 'NULL', 'L', 'M'] as const satisfies Type[];

export const typeOf = (value: Value): Type => Object.keys(value)[0] as Type;

/** Throws if values have faults. `refuse` returns the error. */
export const checkValues = (values: Item = {}, refuse: (why: string) => Error = invalid): void => {
  for (const value of Object.values(values)) checkValue(value, refuse);
};

const checkValue = (value: Value, refuse: (why: string) => Error): void => {
  const [type, ...others] = Object.keys(value) as Type[];
  const rule = 'must contain exactly one of the supported datatypes';
  if (!type) throw refuse(`Supplied AttributeValue is empty, ${rule}`);
  if (!types.includes(type)) throw unknown(`values of the type ${type}`);
  if (value.N !== undefined) checkNumber(value.N, refuse);
  if (value.NULL === false)
    throw refuse('One or more parameter values were invalid: Null attribute value types must have the value of true');
  for (const each of value.L ?? Object.values(value.M ?? {})) checkValue(each, refuse);
  if (others.length > 0) throw refuse(`Supplied AttributeValue has more than one datatypes set, ${rule}`);
};

/** Numbers have the form in which JavaScript writes them, because no store sends another one. */
const checkNumber = (text: string, refuse: (why: string) => Error): void => {
  const size = Math.abs(Number(text));
  if (text.trim() === '' || Number.isNaN(size))
    throw refuse(`The parameter cannot be converted to a numeric value: ${text}`);
  if (size >= 1e126 || (size > 0 && size < 1e-130))
    throw refuse(`Number ${size < 1 ? 'underflow' : 'overflow'}. Attempting to store a number outside of the range`);
  if (String(Number(text)) !== text) throw unknown(`the number ${text}, which JavaScript does not write so`);
};

export const equal = (a: Value, b: Value): boolean => {
  const type = typeOf(a);
  if (type !== typeOf(b)) return false;
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

/** Returns a number below, of or above 0 for two texts, numbers or binaries, or undefined if they have no order. */
export const compare = (a: Value, b: Value): number | undefined => {
  if (a.N !== undefined && b.N !== undefined) return Number(a.N) - Number(b.N);
  if (a.S !== undefined && b.S !== undefined) return Buffer.compare(Buffer.from(a.S), Buffer.from(b.S));
  if (a.B !== undefined && b.B !== undefined) return Buffer.compare(bytesOf(a.B), bytesOf(b.B));
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
  if (value.L !== undefined) return value.L.reduce((total, each) => total + 1 + sizeOf(each), 3);
  return 1;
};

/** Two digits need a byte. DynamoDB may need one byte less. */
const sizeOfNumber = (text: string): number => {
  const digits = text.replace(/e.*|[-.]/g, '').replace(/^0+|0+$/g, '');
  return digits === '' ? 1 : 1 + Math.ceil((digits.length + 1) / 2) + (text.startsWith('-') ? 1 : 0);
};
