import fc from 'fast-check';
import type { TableCall } from '../../infra/local/table/table.ts';
import type { Value } from '../../infra/local/table/values.ts';

/** Name of the table that another implementation of DynamoDB and ours have. */
export const TableName = 'judged-table';

const S = (text: string): Value => ({ S: text });
const partitions = fc.constantFrom('a', 'b').map(S);
const sorts = fc.constantFrom('1', '2', '3', 'é', '~').map(S);
const scalars = fc.oneof(
  fc.constantFrom('', 'x', 'xy', 'é').map(S),
  fc.constantFrom('0', '1', '-2', '10', '0.5').map((N) => ({ N })),
  fc.constantFrom('AP8=', '').map((B) => ({ B })),
  fc.boolean().map((BOOL) => ({ BOOL })),
  fc.constant({ NULL: true }),
) as fc.Arbitrary<Value>;
const values: fc.Arbitrary<Value> = fc.oneof(
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
  },
  { requiredKeys: [] },
);
const keys = fc.record({ pk: partitions, sk: sorts });

/** An expression with placeholders, which the request defines. */
const paths = fc.constantFrom('#v', '#w', '#m', '#m.#x', '#open', '#dueAt', '#listed');
const operands = fc.oneof(paths, fc.constantFrom(':a', ':b', ':n', ':s'));
const comparisons = fc.oneof(
  fc
    .tuple(paths, fc.constantFrom('=', '<>', '<', '<=', '>', '>='), fc.constantFrom(':a', ':b', ':n', ':s'))
    .map((all) => all.join(' ')),
  fc.tuple(paths, fc.constantFrom(':a', ':n')).map(([path, value]) => `${path} BETWEEN ${value} AND :n`),
  fc.tuple(paths, operands).map(([path, value]) => `${path} IN (:a, ${value.startsWith('#') ? ':b' : value})`),
  paths.map((path) => `attribute_exists(${path})`),
  paths.map((path) => `attribute_not_exists(${path})`),
  paths.map((path) => `attribute_type(${path}, :type)`),
  fc.tuple(paths, fc.constantFrom(':s', ':n')).map(([path, value]) => `begins_with(${path}, ${value})`),
  fc.tuple(paths, fc.constantFrom(':s', ':n', ':a')).map(([path, value]) => `contains(${path}, ${value})`),
  fc.constantFrom(
    'attribute_exists(:a)',
    'size(#v)',
    'unknown(#v)',
    'attribute_exists(#v, #w)',
    'state = :a',
    '#none = :a',
  ),
);
const conditions = fc.oneof(
  comparisons,
  fc.tuple(comparisons, fc.constantFrom('AND', 'OR'), comparisons).map((all) => all.join(' ')),
  fc.tuple(comparisons, comparisons, comparisons).map(([a, b, c]) => `(${a} OR ${b}) AND NOT ${c}`),
  comparisons.map((each) => `((${each}))`),
);
const settings = fc.oneof(
  fc.tuple(paths, operands).map(([path, value]) => `${path} = ${value}`),
  fc.tuple(paths, fc.constantFrom(':n', ':a')).map(([path, value]) => `${path} = if_not_exists(${path}, ${value})`),
  fc.tuple(paths, paths).map(([path, other]) => `${path} = ${other} + :n`),
  fc.tuple(paths, paths).map(([path, other]) => `${path} = if_not_exists(${other}, :n) + :n`),
);
const updates = fc.oneof(
  fc.array(settings, { minLength: 1, maxLength: 2 }).map((all) => `SET ${all.join(', ')}`),
  paths.map((path) => `REMOVE ${path}`),
  fc.tuple(settings, paths).map(([set, path]) => `SET ${set} REMOVE ${path}`),
);
const placeholders = fc.record({
  ':a': scalars,
  ':b': scalars,
  ':n': fc.constantFrom('1', '2.5', '-3').map((N) => ({ N })),
  ':s': fc.constantFrom('', 'x', 'p').map(S),
  ':type': fc.constantFrom('S', 'N', 'M', 'Z').map(S),
});

/** Adds the names and values that its expressions use to a request. */
const complete = (input: Record<string, unknown>, given: Record<string, unknown>, unused = false) => {
  const text = Object.entries(input)
    .map(([name, value]) => (name.endsWith('Expression') ? value : ''))
    .join(' ');
  const used = [...text.matchAll(/#\w+/g)].map(([name]) => name).filter((name) => name !== '#none');
  const valuesUsed = Object.entries(given).filter(([name]) => new RegExp(`${name}\\b`).test(text));
  return {
    TableName,
    ...input,
    ...((used.length > 0 || unused) && {
      ExpressionAttributeNames: Object.fromEntries(
        [...used, ...(unused ? ['#unused'] : [])].map((name) => [name, name.slice(1)]),
      ),
    }),
    ...(valuesUsed.length > 0 && { ExpressionAttributeValues: Object.fromEntries(valuesUsed) }),
  };
};

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const queries = fc.oneof(
  fc
    .constantFrom(
      '#pk = :pk',
      '#pk = :pk AND #sk > :sk',
      '#pk = :pk AND begins_with(#sk, :sk)',
      '#sk <= :sk AND #pk = :pk',
      '#pk = :pk AND #sk BETWEEN :sk AND :top',
      '#pk > :pk',
      '#pk = :pk OR #sk = :sk',
      '#pk = :pk AND #v = :sk',
    )
    .map((KeyConditionExpression) => ({ KeyConditionExpression })),
  fc
    .constantFrom('#open = :open', '#open = :open AND #dueAt >= :sk', '#open = :open AND #dueAt = :open')
    .map((KeyConditionExpression) => ({ KeyConditionExpression, IndexName: 'open' })),
  fc.constantFrom('#list = :open').map((KeyConditionExpression) => ({ KeyConditionExpression, IndexName: 'list' })),
);
/** Requests that the table answers or refuses. */
export const tableCalls: fc.Arbitrary<TableCall> = fc.oneof(
  fc
    .record({ key: keys, item: attributes, condition: maybe(conditions), given: placeholders })
    .map(({ key, item, condition, given }) => ({
      operation: 'PutItem',
      input: complete(
        {
          Item: { ...key, ...item },
          ...(condition && { ConditionExpression: condition }),
        },
        given,
      ),
    })),
  fc
    .record({
      Key: keys,
      update: updates,
      condition: maybe(conditions),
      given: placeholders,
      ReturnValues: fc.constantFrom('NONE', 'ALL_NEW', 'UPDATED_NEW'),
      unused: fc.integer({ min: 0, max: 20 }),
    })
    .map(({ Key, update, condition, given, ReturnValues, unused }) => ({
      operation: 'UpdateItem',
      input: complete(
        { Key, UpdateExpression: update, ReturnValues, ...(condition && { ConditionExpression: condition }) },
        given,
        unused === 0,
      ),
    })),
  fc.record({ Key: keys, condition: maybe(conditions), given: placeholders }).map(({ Key, condition, given }) => ({
    operation: 'DeleteItem',
    input: complete({ Key, ...(condition && { ConditionExpression: condition }) }, given),
  })),
  fc
    .record({ Key: keys, projection: maybe(fc.constantFrom('#v', '#v, #m.#x', '#m, #m.#x', 'v, w')) })
    .map(({ Key, projection }) => ({
      operation: 'GetItem',
      input: complete({ Key, ConsistentRead: true, ...(projection && { ProjectionExpression: projection }) }, {}),
    })),
  fc
    .record({
      query: queries,
      filter: maybe(conditions),
      given: placeholders,
      pk: partitions,
      sk: sorts,
      open: keyTexts,
      ScanIndexForward: fc.boolean(),
      Limit: maybe(fc.integer({ min: 1, max: 3 })),
    })
    .map(({ query, filter, given, pk, sk, open, ScanIndexForward, Limit }) => ({
      operation: 'Query',
      input: complete(
        { ...query, ScanIndexForward, ...(filter && { FilterExpression: filter }), ...(Limit && { Limit }) },
        { ...given, ':pk': pk, ':sk': sk, ':top': S('~~'), ':open': open },
      ),
    })),
);
