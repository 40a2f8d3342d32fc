import { invalid, invalidValue } from './errors.ts';
import type { Condition, Operand } from './resolved.ts';
import { refuseEmptyBound } from './schema.ts';
import { compare, typeOf, type Value } from './values.ts';

type Operator = '=' | '<' | '<=' | '>' | '>=' | 'between' | 'begins_with';
type Bound = { operator: Operator; values: Value[] };
/** A partition that a query reads, and a range of its sort keys. */
export type Range = { partition: string; sort?: { operator: Operator; values: [string, string?] } };

const turned: Partial<Record<string, Operator>> = { '=': '=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' };
const unusable = (operator: string) => invalid(`Invalid operator used in KeyConditionExpression: ${operator}`);
const invalidCondition = (why: string) => invalid(`Invalid condition in KeyConditionExpression: ${why}`);

/** Returns the range of a key condition. Throws if it is no condition on the keys of the table or the index. */
export const rangeOf = (condition: Condition, keys: { partitionKey: string; sortKey: string }): Range => {
  const bounds = new Map<string, Bound>();
  collect(condition, bounds);
  for (const { operator, values } of bounds.values()) checkTypes(operator, values);
  if (bounds.size > 2) throw invalid('Conditions can be of length 1 or 2 only');
  for (const [name, { values }] of bounds) for (const value of values) refuseEmptyBound(name, value);

  const partition = bounds.get(keys.partitionKey);
  const sort = bounds.get(keys.sortKey);
  if (!partition) throw invalid(`Query condition missed key schema element: ${keys.partitionKey}`);
  const [text] = textsOf(partition);
  if (partition.operator !== '=') throw invalid('Query key condition not supported');
  if (!sort && bounds.size > 1) throw invalid(`Query condition missed key schema element: ${keys.sortKey}`);
  return {
    partition: text,
    ...(sort && { sort: { operator: sort.operator, values: textsOf(sort) } }),
  };
};

const textsOf = ({ values }: Bound): [string, string?] => {
  if (values.some(({ S }) => S === undefined))
    throw invalidValue('Condition parameter type does not match schema type');
  return values.map(({ S }) => S) as [string, string?];
};

const collect = (condition: Condition, bounds: Map<string, Bound>): void => {
  const { kind, name, args } = condition;
  if (kind === 'or' || kind === 'not' || kind === 'in' || kind === '<>') throw unusable(kind.toUpperCase());
  if (kind === 'and') {
    for (const each of args) collect(each as Condition, bounds);
    return;
  }
  if (kind === 'call' && name !== 'begins_with') throw unusable(name as string);
  const operands = args as Operand[];
  const operator = kind === 'call' ? 'begins_with' : kind;
  if (operands.some((each) => each.kind === 'call'))
    throw invalid('KeyConditionExpressions cannot contain nested operations');
  if ((operator === 'between' || operator === 'begins_with') && operands[0]?.kind !== 'path') {
    const shown = operator === 'between' ? 'BETWEEN' : operator;
    throw invalidCondition(`${shown} operator must have the key attribute as its first operand`);
  }
  const at = operands.findIndex((each) => each.kind === 'path');
  const path = operands[at];
  if (path?.kind !== 'path') throw invalidCondition('No key attribute specified');
  if (operands.filter((each) => each.kind === 'path').length > 1)
    throw invalidCondition('Multiple attribute names used in one condition');
  if (path.path.length > 1) throw invalid('KeyConditionExpressions cannot have conditions on nested attributes');
  const key = String(path.path[0]);
  if (bounds.has(key)) throw invalid('KeyConditionExpressions must only contain one condition per key');
  const values = operands.flatMap((each) => (each.kind === 'value' ? each.value : []));
  bounds.set(key, { operator: at === 0 ? operator : (turned[operator] as Operator), values });
};

const names: Record<Operator, string> = {
  '=': 'EQ',
  '<': 'LT',
  '<=': 'LE',
  '>': 'GT',
  '>=': 'GE',
  between: 'BETWEEN',
  begins_with: 'BEGINS_WITH',
};

const checkTypes = (operator: Operator, values: Value[]): void => {
  const [first, second] = values as [Value, Value?];
  if (second && typeOf(first) !== typeOf(second))
    throw invalidValue('AttributeValues inside AttributeValueList must be of same type');
  const accepted = operator === '=' ? 'S N B SS NS BS' : operator === 'begins_with' ? 'S B' : 'S N B';
  const type = typeOf(first);
  if (!accepted.split(' ').includes(type))
    throw invalidValue(`ComparisonOperator ${names[operator]} is not valid for ${type} AttributeValue type`);
  if (operator === 'between' && (compare(first, second as Value) ?? 0) > 0)
    throw invalid('The BETWEEN condition was provided a range where the lower bound is greater than the upper bound');
};
