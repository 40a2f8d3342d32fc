import fc from 'fast-check';
import {
  anyOf,
  type Condition,
  conditionOf,
  type Test,
  testForms,
  updateOf,
} from '../../functions/lib/store/expressions.ts';
import { type Query, queryOf } from '../../functions/lib/store/query.ts';
import type { TableCall } from '../../infra/local/table/table.ts';
import type { Value } from '../../infra/local/table/values.ts';

/** Name of the table that another implementation of DynamoDB and ours have. */
export const TableName = 'judged-table';

const S = (text: string): Value => ({ S: text });
const partitions = fc.constantFrom('a', 'a', 'b').map(S);
const sorts = fc.constantFrom('1', '1é', '2').map(S);
const scalars = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('', 'x', 'xy', 'é').map(S) },
  { weight: 3, arbitrary: fc.constantFrom('0', '1', '-2', '10').map((N) => ({ N })) },
  fc.constantFrom('AP8=', '').map((B) => ({ B })),
  fc.boolean().map((BOOL) => ({ BOOL })),
  fc.constant({ NULL: true }),
) as fc.Arbitrary<Value>;
/** Values that have an order. */
const ordered: fc.Arbitrary<Value> = fc.constantFrom(S('x'), S('xy'), { N: '1' }, { N: '10' }, { B: 'AP8=' });
const values: fc.Arbitrary<Value> = fc.oneof(
  { weight: 4, arbitrary: ordered },
  { weight: 4, arbitrary: scalars },
  { weight: 1, arbitrary: fc.array(scalars, { maxLength: 2 }).map((L) => ({ L })) },
  { weight: 2, arbitrary: fc.dictionary(fc.constantFrom('x', 'y'), scalars, { maxKeys: 2 }).map((M) => ({ M })) },
);
const keyTexts = fc.constantFrom('p', 'q', '2031').map(S);
const attributes = fc.record(
  {
    v: values,
    w: values,
    m: values,
    open: keyTexts,
    dueAt: keyTexts,
    list: keyTexts,
    listKey: keyTexts,
    listed: values,
    sized: values.filter(({ S, B }) => S !== '' && B !== ''), // dynalite knows no size of an empty value
  },
  { requiredKeys: [] },
);
const keys = fc.record({ pk: partitions, sk: sorts });

const paths = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('v', 'v', 'w', 'm.x') },
  { weight: 3, arbitrary: fc.constantFrom('m', 'open', 'dueAt', 'listed', 'state') },
  { weight: 1, arbitrary: fc.constantFrom('pk', 'sk') },
);
const numbers = fc.constantFrom('1', '10', '-2.5').map((N) => ({ N }));
/** Dynalite looks for texts and numbers in lists only. */
const parts = fc.constantFrom(S('x'), { N: '1' });
const texts = scalars.filter(({ B }) => B === undefined); // the stores query no binary keys
const valuesOf: Record<string, fc.Arbitrary<Value>> = {
  '=': scalars,
  '<>': scalars,
  contains: parts,
  lacks: parts,
  'size <=': numbers,
  'begins with': texts,
};

const tests: fc.Arbitrary<Test> = fc
  .constantFrom(...Object.entries(testForms))
  .chain(([test, form]) =>
    fc.tuple(
      test === 'size <=' ? fc.constant('sized') : paths,
      fc.constant(test),
      ...Array.from(form.matchAll(/:/g), () => valuesOf[test] ?? ordered),
    ),
  ) as fc.Arbitrary<never>;
/** Conditions of the stores. Some of them break rules of DynamoDB. */
const alternatives = fc.oneof(
  tests.map((test) => [test]),
  fc.array(tests, { minLength: 1, maxLength: 3 }),
);
const conditions = fc
  .oneof(
    alternatives.map((tests) => [tests]),
    fc.array(alternatives, { minLength: 1, maxLength: 3 }),
  )
  .map((condition): Condition => ({ condition }));
const always = anyOf(['pk', 'absent'], ['pk', 'exists']);
const writeConditions = fc.oneof(fc.constant(always), conditions);

const changedPaths = fc.oneof({ weight: 30, arbitrary: paths }, fc.constant('open.x'));
const changed = (kind: 'set' | 'setIfAbsent' | 'add' | 'remove', value: fc.Arbitrary<Value>) =>
  fc.tuple(fc.constant(kind), changedPaths, value);
const sums = fc.oneof({ weight: 9, arbitrary: numbers }, scalars);
const changes = fc
  .uniqueArray(
    fc.oneof(changed('set', values), changed('setIfAbsent', values), changed('add', sums), changed('remove', sums)),
    { minLength: 1, maxLength: 3, selector: ([, path]) => path },
  )
  .map((all) => {
    const of = (kind: string) => all.filter(([each]) => each === kind).map(([, path, value]) => [path, value] as const);
    const [set, setIfAbsent, add] = ['set', 'setIfAbsent', 'add'].map((kind) => Object.fromEntries(of(kind)));
    return { set, setIfAbsent, add: add as never, remove: of('remove').map(([path]) => path) };
  });

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const bounds = fc.constantFrom('', '1', '1', '1', '2', 'p', 'q');
const queries = fc.record({
  index: fc.constantFrom(undefined, undefined, 'open', 'list'),
  partition: fc.oneof({ weight: 9, arbitrary: fc.constantFrom('a', 'b', 'p', 'q') }, fc.constant('')),
  begin: maybe(bounds),
  from: maybe(bounds),
  until: maybe(bounds),
  filter: maybe(conditions),
  newestFirst: fc.boolean(),
  limit: maybe(fc.integer({ min: 1, max: 3 })),
}) as fc.Arbitrary<Query>;

type Input = Record<string, unknown> & { ExpressionAttributeValues?: Record<string, unknown> };
const typed = (value: unknown) =>
  typeof value === 'string' ? S(value) : typeof value === 'number' ? { N: String(value) } : value;
/** Returns a call as the SDK sends it: it adds the types of the values that the stores give. */
const callOf = (operation: string, { ExpressionAttributeValues: given, ...input }: Input): TableCall => {
  const values = given && Object.fromEntries(Object.entries(given).map(([name, value]) => [name, typed(value)]));
  return { operation, input: { TableName, ...input, ...(values && { ExpressionAttributeValues: values }) } };
};

/** Requests of the stores, which the table answers or refuses. */
export const tableCalls: fc.Arbitrary<TableCall> = fc.oneof(
  fc
    .tuple(keys, attributes, writeConditions)
    .map(([key, item, condition]) => callOf('PutItem', { Item: { ...key, ...item }, ...conditionOf(condition) })),
  fc
    .tuple(keys, changes, writeConditions, fc.constantFrom('NONE', 'ALL_NEW', 'UPDATED_NEW'))
    .map(([Key, change, condition, returns]) =>
      callOf('UpdateItem', { Key, ...updateOf({ ...change, ...condition, returns }) }),
    ),
  fc.tuple(keys, writeConditions).map(([Key, condition]) => callOf('DeleteItem', { Key, ...conditionOf(condition) })),
  keys.map((Key) => callOf('GetItem', { Key, ConsistentRead: true })),
  queries.map((query) => callOf('Query', queryOf(query))),
);
