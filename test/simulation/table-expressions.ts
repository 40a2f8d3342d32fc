import type { Item } from '../../functions/lib/store/dynamodb.ts';

type Names = Readonly<Record<string, string>>;
type Values = Readonly<Record<string, unknown>>;
type Evaluate<Result> = (item: Item, names: Names, values: Values) => Result;

/** Returns the function of a condition, a key condition or a filter. */
export const conditionOf = (text: string): Evaluate<boolean> =>
  compiled(text, () => `return ${javascriptOf(text)};`) as Evaluate<boolean>;

/** Returns the function of an update: from an item to the changed item. */
export const updateOf = (text: string): Evaluate<Item> =>
  compiled(text, () => {
    const [, sets, removes] = /^(?:SET (.+?))?(?: ?REMOVE (.+))?$/.exec(text) ?? [];
    const assignments = sets?.split(/, (?=#[\w.#]+ = )/).map((each) => each.split(' = ')) ?? [];
    return [
      'const after = { ...item };',
      ...assignments.map(([path = '', value = '']) => `${placeOf(path)} = ${javascriptOf(value)};`),
      ...(removes?.split(', ').map((path) => `delete ${placeOf(path)};`) ?? []),
      'return after;',
    ].join('\n');
  }) as Evaluate<Item>;

/** Returns the place of a path with one or two names. Copies the map of a second name before the change. */
const placeOf = (path: string): string => {
  const [name, inner] = path.split('.').map((each) => `names['${each}']`);
  return inner ? `(after[${name}] = { ...after[${name}] })[${inner}]` : `after[${name}]`;
};

/** The stores have few expressions, and each of them is evaluated millions of times. */
const functions = new Map<string, Evaluate<unknown>>();

const compiled = (text: string, javascript: () => string): Evaluate<unknown> => {
  const known = functions.get(text) ?? (new Function('item', 'names', 'values', javascript()) as Evaluate<unknown>);
  functions.set(text, known);
  return known;
};

/** Translates an expression. The function of an expression that it doesn't know throws. */
const javascriptOf = (expression: string): string =>
  expression
    .replace(/(\S+) BETWEEN (\S+) AND (\S+)/g, '($1 >= $2 && $1 <= $3)')
    .replace(/(\S+) IN \(([^)]+)\)/g, '[$2].includes($1)')
    .replace(/attribute_not_exists\(([^)]+)\)/g, '($1 === undefined)')
    .replace(/attribute_exists\(([^)]+)\)/g, '($1 !== undefined)')
    .replace(/if_not_exists\(([^,]+), ([^)]+)\)/g, '($1 ?? $2)')
    .replace(/size\(([^)]+)\)/g, '$1.length')
    .replace(/ (AND|OR|=) /g, (_, operator: string) => ` ${{ AND: '&&', OR: '||', '=': '===' }[operator]} `)
    .replace(/:\w+|#\w+(\.#\w+)*|\b(pk|sk|dueAt)\b/g, operandOf);

const operandOf = (operand: string): string => {
  if (operand.startsWith(':')) return `values['${operand}']`;
  if (!operand.startsWith('#')) return `item.${operand}`;
  return `item${operand
    .split('.')
    .map((name) => `[names['${name}']]`)
    .join('?.')}`;
};
