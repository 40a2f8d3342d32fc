/** Test of an attribute. Its path may lead into maps, as `lease.id` does. */
export type Test =
  | readonly [path: string, test: 'exists' | 'absent']
  | readonly [
      path: string,
      test: '=' | '<>' | '<' | '<=' | '>' | '>=' | 'contains' | 'lacks' | 'size <=',
      value: unknown,
    ]
  | readonly [path: string, test: 'begins with', start: string]
  | readonly [path: string, test: 'between' | 'outside', from: unknown, until: unknown];

/** Condition of a write, or filter of a query: a list of clauses. It holds if one test of each clause passes. */
export type Condition = { condition: readonly (readonly Test[])[] };

/** Returns the condition that holds if one of these tests passes. */
export const anyOf = (...tests: readonly Test[]): Condition => ({ condition: [tests] });

/** Returns the condition that holds if all of these hold. */
export const allOf = (...conditions: readonly Condition[]): Condition => ({
  condition: conditions.flatMap(({ condition }) => condition),
});

export const ifExists = anyOf(['pk', 'exists']);
export const ifAbsent = anyOf(['pk', 'absent']);

/**
 * Change of an item. An update creates a missing item if the condition allows it. `set` skips undefined values.
 * `setIfAbsent` keeps the value of an attribute that exists. `add` counts a missing number as 0. Each name may be a path,
 * such as `a.b`.
 */
export type Change = Condition & {
  set?: Record<string, unknown>;
  setIfAbsent?: Record<string, unknown>;
  add?: Record<string, number>;
  remove?: readonly string[];
  returns?: 'ALL_NEW' | 'UPDATED_NEW' | 'NONE';
};

/**
 * DynamoDB's text of each test. `#` stands for the path, and `:` for a value. The table on one machine reads only the
 * expressions of these forms.
 */
export const testForms: Record<Test[1], string> = {
  exists: 'attribute_exists(#)',
  absent: 'attribute_not_exists(#)',
  '=': '# = :',
  '<>': '# <> :',
  '<': '# < :',
  '<=': '# <= :',
  '>': '# > :',
  '>=': '# >= :',
  contains: 'contains(#, :)',
  lacks: 'NOT contains(#, :)',
  'size <=': 'size(#) <= :',
  'begins with': 'begins_with(#, :)',
  between: '# BETWEEN : AND :',
  outside: 'NOT # BETWEEN : AND :',
};
export const assignmentForms = {
  set: '# = :',
  setIfAbsent: '# = if_not_exists(#, :)',
  add: '# = if_not_exists(#, :) + :',
};

/** Returns the placeholder of an attribute or a path. DynamoDB allows letters, digits and underscores in it. */
const placeholder = (path: string): string => path.replace(/[\w-]+/g, (name) => `#${name.replaceAll('-', '_')}`);

const namesOf = (paths: readonly string[]): Record<string, string> =>
  Object.fromEntries(paths.flatMap((path) => path.split('.')).map((name) => [placeholder(name), name]));

const textOf = (form: string, path: string, values: readonly string[]): string => {
  const left = [...values];
  return form.replace(/[#:]/g, (sign) => (sign === '#' ? placeholder(path) : (left.shift() as string)));
};

/** Returns the text of a condition, with its names and values. The names of the values begin with `prefix`. */
export const expressionOf = ({ condition }: Condition, prefix = 'if') => {
  const values: Record<string, unknown> = {};
  const add = (value: unknown): string => {
    const name = `:${prefix}${Object.keys(values).length}`;
    values[name] = value;
    return name;
  };
  const clauses = condition.map((tests) => {
    const texts = tests.map(([path, test, ...given]) => textOf(testForms[test], path, given.map(add)));
    return texts.length === 1 ? texts[0] : `(${texts.join(' OR ')})`;
  });
  return { text: clauses.join(' AND '), names: namesOf(condition.flat().map(([path]) => path)), values };
};

/** DynamoDB refuses an empty map of values. */
const unlessEmpty = (values: Record<string, unknown>) =>
  Object.keys(values).length > 0 && { ExpressionAttributeValues: values };

/** Returns the parameters of a write with a condition. */
export const conditionOf = (condition: Condition) => {
  const { text, names, values } = expressionOf(condition);
  return { ConditionExpression: text, ExpressionAttributeNames: names, ...unlessEmpty(values) };
};

export const updateOf = ({ set = {}, setIfAbsent = {}, add = {}, remove = [], returns, condition }: Change) => {
  const { text, names, values } = expressionOf({ condition });
  const assign = (kind: keyof typeof assignmentForms, changes: Record<string, unknown>): string[] =>
    Object.entries(changes)
      .filter(([, value]) => value !== undefined)
      .map(([path, value], i) => {
        const name = `:${kind}${i}`;
        values[name] = value;
        Object.assign(names, namesOf([path]));
        return textOf(assignmentForms[kind], path, kind === 'add' ? [':zero', name] : [name]);
      });
  const assignments = [...assign('set', set), ...assign('setIfAbsent', setIfAbsent), ...assign('add', add)];
  if (Object.keys(add).length > 0) values[':zero'] = 0;
  const clauses = [
    ...(assignments.length > 0 ? [`SET ${assignments.join(', ')}`] : []),
    ...(remove.length > 0 ? [`REMOVE ${remove.map(placeholder).join(', ')}`] : []),
  ];
  return {
    UpdateExpression: clauses.join(' '),
    ConditionExpression: text,
    ReturnValues: returns ?? 'ALL_NEW',
    ExpressionAttributeNames: { ...names, ...namesOf(remove) },
    ...unlessEmpty(values),
  };
};
