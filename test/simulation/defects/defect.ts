import { pack, unpack } from '../../../functions/lib/store/packed.ts';
import { type Answer, type Item, plain, type TableCall } from '../embedded-table.ts';
import type { Parts } from '../functions.ts';

/** A defect of the service that the simulation must find. */
export type Defect = {
  /** Matches the report of the simulation. */
  found: RegExp;
  /** A seed that finds the defect. `npm test` tries this seed only. Without it, only `FULL=1` looks for the defect. */
  seed?: number;
  /** Changes the parts of a process when it starts. */
  wrap?: (parts: Parts) => void;
  /** Changes a call of the table. */
  alters?: (call: TableCall, key: Item) => void;
  /** Returns true if the table drops this call, and answers as if it had made the change. */
  drops?: (call: TableCall, key: Item) => boolean;
};
export type Defects = Readonly<Record<string, Defect>>;

export const droppedAnswer: Answer = {
  status: 200,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: Buffer.from('{}'),
};

export const keyOfCall = ({ input }: TableCall): Item => plain({ M: input.Key ?? input.Item ?? {} }) as Item;

type Value = Record<string, unknown>;
type Input = {
  Item?: Record<string, Value>;
  UpdateExpression?: string;
  ExpressionAttributeValues?: Record<string, Value>;
};

/** Replaces the value that a call writes to an attribute, if it writes one. */
export const alter = ({ input }: TableCall, name: string, change: (value: Value) => Value | undefined): void => {
  const { Item, UpdateExpression = '', ExpressionAttributeValues: values } = input as Input;
  const placeholder = new RegExp(`#${name} = (:\\w+)`).exec(UpdateExpression)?.[1];
  const [holder, key] = Item ? [Item, name] : [values, placeholder];
  const value = key === undefined ? undefined : holder?.[key];
  if (!holder || key === undefined || !value) return;
  const changed = change(value);
  if (changed) holder[key] = changed;
  else delete holder[key]; // of an item that is put
};
export const alterText = (call: TableCall, name: string, change: (text: string) => string): void =>
  alter(call, name, ({ S }) => ({ S: change(String(S)) }));
/** Changes the value of an attribute that is compressed. */
export const alterPacked = <T>(call: TableCall, name: string, change: (value: T) => object): void =>
  alter(call, name, ({ B }) => ({
    B: Buffer.from(pack(change(unpack(Buffer.from(String(B), 'base64')) as T))).toString('base64'),
  }));
