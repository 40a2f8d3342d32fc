import { invalid, ServiceError, unknown } from './errors.ts';
import { actionsIn, conditionIn, type Placeholders } from './expressions.ts';
import { checkValues, type Item, sizeOfItem } from './values.ts';

type Field = 'UpdateExpression' | 'ConditionExpression' | 'KeyConditionExpression' | 'FilterExpression';
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
} & { [field in Field]?: string };

const MAX_EXPRESSION_BYTES = 4096;
export const MAX_ITEM_BYTES = 400 * 1024;

/** Fields of each operation. The table knows no others, so that a request with one does not get a wrong answer. */
const placeholderFields = ['ExpressionAttributeNames', 'ExpressionAttributeValues'] as const;
const writing = [...placeholderFields, 'TableName', 'ConditionExpression'];
const reading = [...placeholderFields, 'TableName', 'Limit', 'ConsistentRead', 'ExclusiveStartKey', 'FilterExpression'];
const fields: Record<string, readonly string[]> = {
  PutItem: [...writing, 'Item'],
  UpdateItem: [...writing, 'Key', 'UpdateExpression', 'ReturnValues'],
  DeleteItem: [...writing, 'Key'],
  GetItem: ['TableName', 'Key', 'ConsistentRead'],
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
  const used = new Set<string>();
  const lookUp = <T>(given: Record<string, T> = {}, placeholder: string): T => {
    used.add(placeholder);
    if (Object.hasOwn(given, placeholder)) return given[placeholder] as T;
    throw invalid(`The placeholder ${placeholder} of an expression is not defined`);
  };
  checkValues(request.ExpressionAttributeValues, (why) =>
    invalid(`ExpressionAttributeValues contains invalid value: ${why}`),
  );
  const given = <T>(field: Field, read: (text: string, placeholders: Placeholders) => T): T | undefined => {
    const text = request[field];
    if (text === undefined) return undefined;
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_EXPRESSION_BYTES)
      throw invalid(
        `Invalid ${field}: Expression size has exceeded the maximum allowed size; expression size: ${bytes}`,
      );
    return read(text, {
      nameFor: (placeholder) => lookUp(request.ExpressionAttributeNames, placeholder),
      valueFor: (placeholder) => lookUp(request.ExpressionAttributeValues, placeholder),
    });
  };
  const expressions = {
    actions: given('UpdateExpression', actionsIn) ?? [],
    condition: given('ConditionExpression', conditionIn),
    keyCondition: given('KeyConditionExpression', conditionIn),
    filter: given('FilterExpression', conditionIn),
  };
  for (const field of placeholderFields) {
    const all = request[field] && Object.keys(request[field]);
    if (all?.length === 0) throw invalid(`${field} must not be empty`);
    const unused = all?.filter((name) => !used.has(name)) ?? [];
    if (unused.length > 0)
      throw invalid(`Value provided in ${field} unused in expressions: keys: {${unused.join(', ')}}`);
  }
  return expressions;
};

export const conditionFailed = (): ServiceError =>
  new ServiceError('ConditionalCheckFailedException', 'The conditional request failed');
