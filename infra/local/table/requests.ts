import { invalid, ServiceError, unknown } from './errors.ts';
import { Expression } from './expressions.ts';
import { Placeholders } from './placeholders.ts';
import { Tokens } from './tokens.ts';
import { checkValues, type Item, sizeOfItem } from './values.ts';

/** Fields of DynamoDB's requests that the table knows. */
export type Request = {
  TableName: string;
  Key?: Item;
  Item?: Item;
  IndexName?: string;
  Limit?: number;
  ConsistentRead?: boolean;
  ScanIndexForward?: boolean;
  ExclusiveStartKey?: Item;
  ReturnValues?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
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
const common = ['TableName', 'ExpressionAttributeNames'];
const writing = [...common, 'ExpressionAttributeValues', 'ConditionExpression'];
const reading = [
  ...common,
  'ExpressionAttributeValues',
  'Limit',
  'ConsistentRead',
  'ExclusiveStartKey',
  'FilterExpression',
  'ProjectionExpression',
];
const fields: Record<string, readonly string[]> = {
  PutItem: [...writing, 'Item'],
  UpdateItem: [...writing, 'Key', 'UpdateExpression', 'ReturnValues'],
  DeleteItem: [...writing, 'Key'],
  GetItem: [...common, 'Key', 'ConsistentRead', 'ProjectionExpression'],
  Query: [...reading, 'IndexName', 'KeyConditionExpression', 'ScanIndexForward'],
  Scan: reading,
};
const returned = ['NONE', 'ALL_NEW', 'UPDATED_NEW'];

/** Throws if a request has a field or a value that the table does not know. */
export const checkFields = (operation: string, request: Request): void => {
  const field = Object.keys(request).find((each) => !fields[operation]?.includes(each));
  if (field) throw unknown(`${field} of ${operation}`);
  const { Limit, ReturnValues } = request;
  if (Limit !== undefined && Limit < 1)
    throw invalid(
      `1 validation error detected: Value '${Limit}' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1`,
    );
  if (ReturnValues !== undefined && !returned.includes(ReturnValues)) throw unknown(`ReturnValues ${ReturnValues}`);
};

export const checkSize = (item: Item, message = 'Item size has exceeded the maximum allowed size'): void => {
  if (sizeOfItem(item) > MAX_ITEM_BYTES) throw invalid(message);
};

/** Returns the expressions of a request, with their names and values. */
export const expressionsOf = (request: Request) => {
  checkPlaceholders(request);
  const placeholders = new Placeholders(request.ExpressionAttributeNames, request.ExpressionAttributeValues);
  const given = <T>(field: Field, read: (expression: Expression) => T): T | undefined => {
    const text = request[field];
    return text === undefined ? undefined : read(new Expression(new Tokens(field, text), placeholders));
  };
  const expressions = {
    actions: given('UpdateExpression', (expression) => expression.update()) ?? [],
    condition: given('ConditionExpression', (expression) => expression.condition()),
    keyCondition: given('KeyConditionExpression', (expression) => expression.condition()),
    filter: given('FilterExpression', (expression) => expression.condition()),
    projection: given('ProjectionExpression', (expression) => expression.projection()),
  };
  placeholders.refuseUnused();
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
  checkValues(values, (why) => invalid(`ExpressionAttributeValues contains invalid value: ${why}`));
};

export const conditionFailed = (): ServiceError =>
  new ServiceError('ConditionalCheckFailedException', 'The conditional request failed');
