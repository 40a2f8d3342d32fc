import { parseNumber } from './numbers.ts';
import type { Type, Value } from './values.ts';

const INVALID = 'One or more parameter values were invalid: ';

/** Returns what is wrong with a value, or undefined. Replaces numbers by their plain form. */
export const faultOf = (value: Value): string | undefined => {
  const [type, ...others] = Object.keys(value) as Type[];
  if (!type) return 'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes';
  const fault = faults[type]?.(value as never);
  if (fault) return fault;
  if (others.length > 0)
    return 'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes';
  return undefined;
};

/** Returns the fault of the first of some values that has one. */
export const faultIn = (values: Iterable<Value>): string | undefined => {
  for (const value of values) {
    const fault = faultOf(value);
    if (fault) return fault;
  }
  return undefined;
};

const hasDuplicates = (values: string[]): boolean => new Set(values).size < values.length;

const faults: { [T in Type]?: (value: Required<Pick<Value, T>>) => string | undefined } = {
  N: (value) => {
    const parsed = parseNumber(value.N);
    if ('fault' in parsed) return parsed.fault;
    value.N = parsed.number;
    return undefined;
  },
  NULL: ({ NULL }) => (NULL ? undefined : `${INVALID}Null attribute value types must have the value of true`),
  SS: ({ SS }) => {
    if (SS.length === 0) return `${INVALID}An string set  may not be empty`;
    return hasDuplicates(SS) ? `${INVALID}Input collection [${SS.join(', ')}] contains duplicates.` : undefined;
  },
  NS: (value) => {
    if (value.NS.length === 0) return `${INVALID}An number set  may not be empty`;
    const parsed = value.NS.map(parseNumber);
    for (const each of parsed) if ('fault' in each) return each.fault;
    value.NS = parsed.map((each) => ('number' in each ? each.number : ''));
    return hasDuplicates(value.NS) ? 'Input collection contains duplicates' : undefined;
  },
  BS: ({ BS }) => {
    if (BS.length === 0) return `${INVALID}Binary sets should not be empty`;
    return hasDuplicates(BS)
      ? `${INVALID}Input collection [${BS.join(', ')}]of type BS contains duplicates.`
      : undefined;
  },
  L: ({ L }) => faultIn(L),
  M: ({ M }) => faultIn(Object.values(M)),
};
