import { invalid, ServiceError } from './errors.ts';
import { type Expressions, Resolver } from './expressions.ts';
import type { Condition } from './resolved.ts';
import { faultIn } from './value-faults.ts';
import { type Item, sizeOfItem } from './values.ts';

/** Fields of DynamoDB's requests that the table knows. */
export type Request = Expressions & {
  TableName: string;
  Key?: Item;
  Item?: Item;
  IndexName?: string;
  Limit?: number;
  Select?: string;
  ConsistentRead?: boolean;
  ScanIndexForward?: boolean;
  ExclusiveStartKey?: Item;
  ReturnValues?: string;
  ReturnConsumedCapacity?: string;
  ConditionExpression?: string;
  KeyConditionExpression?: string;
  FilterExpression?: string;
  ProjectionExpression?: string;
  UpdateExpression?: string;
};

const MAX_EXPRESSION_BYTES = 4096;
export const MAX_ITEM_BYTES = 400 * 1024;
const expressionFields = [
  'UpdateExpression',
  'ConditionExpression',
  'KeyConditionExpression',
  'FilterExpression',
  'ProjectionExpression',
] as const;
type Field = (typeof expressionFields)[number];

/** Fields of each operation. The table knows no others, so that a request with one does not get a wrong answer. */
const common = ['TableName', 'ReturnConsumedCapacity', 'ReturnItemCollectionMetrics', 'ExpressionAttributeNames'];
const writing = [...common, 'ExpressionAttributeValues', 'ConditionExpression', 'ReturnValues'];
const reading = [
  ...common,
  'ExpressionAttributeValues',
  'IndexName',
  'Limit',
  'Select',
  'ConsistentRead',
  'ExclusiveStartKey',
  'FilterExpression',
  'ProjectionExpression',
];
const fields: Record<string, readonly string[]> = {
  PutItem: [...writing, 'Item'],
  UpdateItem: [...writing, 'Key', 'UpdateExpression'],
  DeleteItem: [...writing, 'Key'],
  GetItem: [...common, 'Key', 'ConsistentRead', 'ProjectionExpression'],
  Query: [...reading, 'KeyConditionExpression', 'ScanIndexForward'],
  Scan: reading,
};
const returned: Record<string, readonly string[]> = {
  PutItem: ['NONE', 'ALL_OLD'],
  DeleteItem: ['NONE', 'ALL_OLD'],
  UpdateItem: ['NONE', 'ALL_OLD', 'UPDATED_OLD', 'ALL_NEW', 'UPDATED_NEW'],
};

/** Throws if a request has a field or a value that the table does not know. */
export const checkFields = (operation: string, request: Request): void => {
  const unknown = Object.keys(request).find((field) => !fields[operation]?.includes(field));
  if (unknown) throw invalid(`The table on this machine does not know ${unknown} of ${operation}. Use expressions.`);
  const { Limit, ReturnValues } = request;
  if (Limit !== undefined && Limit < 1)
    throw invalid(
      `1 validation error detected: Value '${Limit}' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1`,
    );
  if (ReturnValues !== undefined && !returned[operation]?.includes(ReturnValues))
    throw invalid(`ReturnValues can only be ${returned[operation]?.join(' or ')}`);
};

/** Throws if a value of an item or of a key is no value. */
export const checkValues = (values: Item = {}): void => {
  const fault = faultIn(Object.values(values));
  if (fault) throw invalid(fault);
};

export const checkSize = (item: Item, message = 'Item size has exceeded the maximum allowed size'): void => {
  if (sizeOfItem(item) > MAX_ITEM_BYTES) throw invalid(message);
};

/** Returns the expressions of a request, with their names and values. */
export const expressionsOf = (request: Request) => {
  checkPlaceholders(request);
  const resolver = new Resolver(request);
  const given = (field: Field) => request[field];
  const conditionIn = (field: Field): Condition | undefined => {
    const text = given(field);
    return text === undefined ? undefined : resolver.condition(field, text);
  };
  const update = given('UpdateExpression');
  const projection = given('ProjectionExpression');
  const expressions = {
    actions: update === undefined ? [] : resolver.update(update),
    condition: conditionIn('ConditionExpression'),
    keyCondition: conditionIn('KeyConditionExpression'),
    filter: conditionIn('FilterExpression'),
    projection: projection === undefined ? undefined : resolver.projection(projection),
  };
  resolver.refuseUnused();
  return expressions;
};

const checkPlaceholders = (request: Request): void => {
  const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = request;
  const used = expressionFields.filter((field) => request[field] !== undefined);
  if (names && used.length === 0)
    throw invalid('ExpressionAttributeNames can only be specified when using expressions');
  if (values && used.every((field) => field === 'ProjectionExpression'))
    throw invalid('ExpressionAttributeValues can only be specified when using expressions');
  for (const field of used) {
    const bytes = Buffer.byteLength(request[field] as string);
    if (bytes > MAX_EXPRESSION_BYTES)
      throw invalid(
        `Invalid ${field}: Expression size has exceeded the maximum allowed size; expression size: ${bytes}`,
      );
  }
  for (const [what, given, pattern] of [
    ['Names', names, /^#\w+$/],
    ['Values', values, /^:\w+$/],
  ] as const) {
    if (!given) continue;
    const keys = Object.keys(given);
    if (keys.length === 0) throw invalid(`ExpressionAttribute${what} must not be empty`);
    const wrong = keys.find((key) => !pattern.test(key));
    if (wrong !== undefined)
      throw invalid(`ExpressionAttribute${what} contains invalid key: Syntax error; key: "${wrong}"`);
  }
  for (const [name, value] of Object.entries(values ?? {})) {
    const fault = faultIn([value]);
    if (fault) throw invalid(`ExpressionAttributeValues contains invalid value: ${fault} for key ${name}`);
  }
};

const MAX_BATCH = { BatchWriteItem: 25, BatchGetItem: 100 } as const;

/** Throws if a batch has more requests than DynamoDB accepts. */
export const checkBatch = (operation: keyof typeof MAX_BATCH, count: number): void => {
  const most = MAX_BATCH[operation];
  if (count >= 1 && count <= most) return;
  throw invalid(
    `1 validation error detected: Value at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: [Member must have length less than or equal to ${most}, Member must have length greater than or equal to 1]`,
  );
};

export const conditionFailed = (): ServiceError =>
  new ServiceError('ConditionalCheckFailedException', 'The conditional request failed');
