import { invalid, invalidValue } from './errors.ts';
import type { Condition, Test } from './expressions.ts';
import { refuseEmptyBound } from './schema.ts';

/** A partition that a query reads, and a range of its sort keys. */
export type Range = { partition: string; sort?: Bound };
export type Bound = { kind: Test['kind']; values: string[] };

const sortKinds = ['=', '<', '<=', '>', '>=', 'between', 'begins with'];

/** Returns the range of a key condition. Throws if it is no condition on the keys of the table or the index. */
export const rangeOf = (condition: Condition, keys: { partitionKey: string; sortKey: string }): Range => {
  const [partition, sort, ...others] = condition.flat();
  const isOn = ({ path, kind }: Test, name: string, kinds: readonly string[]) =>
    path.length === 1 && path[0] === name && kinds.includes(kind);
  const isKnown =
    partition && isOn(partition, keys.partitionKey, ['=']) && (!sort || isOn(sort, keys.sortKey, sortKinds));
  if (!isKnown || others.length > 0 || condition.some(({ length }) => length > 1))
    throw invalid('Query key condition not supported');
  const [text] = textsOf(partition);
  return { partition: text as string, ...(sort && { sort: { kind: sort.kind, values: textsOf(sort) } }) };
};

const textsOf = ({ path: [name = ''], values }: Test): string[] =>
  values.map((value) => {
    if (value.S === undefined) throw invalidValue('Condition parameter type does not match schema type');
    refuseEmptyBound(name, value);
    return value.S;
  });
