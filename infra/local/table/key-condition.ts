import { invalid, invalidValue, unknown } from './errors.ts';
import type { Comparison, Condition, Operand } from './expressions.ts';
import { refuseEmptyBound } from './schema.ts';

/** A partition that a query reads, and a range of its sort keys. */
export type Range = { partition: string; sort?: Bound };
export type Bound = { operator: string; values: string[] };

const operators = ['=', '<', '<=', '>', '>=', 'between', 'begins_with'];

/** Returns the range of a key condition. Throws if it is no condition on the keys of the table or the index. */
export const rangeOf = (condition: Condition, keys: { partitionKey: string; sortKey: string }): Range => {
  const bounds = new Map<string, Bound>();
  const parts = condition.kind === 'and' && 'parts' in condition ? condition.parts : [condition];
  for (const part of parts) {
    if ('parts' in part || !operators.includes(part.kind))
      throw invalid(`Invalid operator used in KeyConditionExpression: ${part.kind.toUpperCase()}`);
    const name = keyIn(part);
    if (bounds.has(name)) throw invalid('KeyConditionExpressions must only contain one condition per key');
    bounds.set(name, { operator: part.kind, values: part.operands.slice(1).map((each) => textOf(name, each)) });
  }
  const partition = bounds.get(keys.partitionKey);
  const sort = bounds.get(keys.sortKey);
  const [text] = partition?.values ?? [];
  if (text === undefined) throw invalid(`Query condition missed key schema element: ${keys.partitionKey}`);
  if (partition?.operator !== '=') throw invalid('Query key condition not supported');
  if (!sort && bounds.size > 1) throw invalid(`Query condition missed key schema element: ${keys.sortKey}`);
  return { partition: text, ...(sort && { sort }) };
};

const keyIn = ({ operands: [first] }: Comparison): string => {
  if (first?.kind !== 'path') throw unknown('a key condition that does not begin with the key');
  if (first.path.length > 1) throw invalid('KeyConditionExpressions cannot have conditions on nested attributes');
  return first.path[0] as string;
};

const textOf = (name: string, operand: Operand): string => {
  if (operand.kind !== 'value') throw invalid('Invalid condition in KeyConditionExpression: no value');
  const { S: text } = operand.value;
  if (text === undefined) throw invalidValue('Condition parameter type does not match schema type');
  refuseEmptyBound(name, operand.value);
  return text;
};
