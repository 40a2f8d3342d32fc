// @ts-expect-error dynalite has no types
import dynaliteDb from 'dynalite/db/index.js';
// @ts-expect-error dynalite has no types
import validations from 'dynalite/validations/index.js';
// @ts-expect-error dynalite has no types
import queryValidation from 'dynalite/validations/query.js';

/* DynamoDB's limits of an expression. */
const MAX_EXPRESSION_BYTES = 4096;
const MAX_OPERATORS = 300;
const MAX_OPERANDS_OF_IN = 100;

/** Fields of a request that hold an expression, and where dynalite puts the parsed one. */
const expressions = {
  UpdateExpression: '_updates',
  ConditionExpression: '_condition',
  KeyConditionExpression: '_keyCondition',
  FilterExpression: '_filter',
  ProjectionExpression: '_projection',
} as const;

type Value = { S?: string };
type Attributes = Record<string, Value>;
type Index = { IndexName: string };
type Table = { GlobalSecondaryIndexes?: Index[] };
type Conditions = Record<string, { AttributeValueList: Value[] }>;
type Request = { [name: string]: unknown; KeyConditions?: Conditions };
type Done = (error: Error | null) => void;

let added = false;

/**
 * Lets dynalite refuse, with DynamoDB's own errors, what DynamoDB refuses and dynalite accepts: empty keys of indexes,
 * empty bounds of queries, large items and expressions. Call it after `patchDynalite`, whose index writes it guards.
 */
export const addDynamodbRules = (): void => {
  if (added) return;
  added = true;
  const { validateExpressions } = validations;
  validations.validateExpressions = (request: Request) =>
    expressionTooLong(request) ?? validateExpressions(request) ?? tooManyOperators(request);
  const { custom } = queryValidation;
  queryValidation.custom = (request: Request, store: unknown) => custom(request, store) ?? emptyBound(request);
  const { validateItem, updateIndexes, itemSize } = dynaliteDb;
  dynaliteDb.validateItem = (item: Attributes, table: Table) => validateItem(item, table) ?? emptyIndexKey(item, table);
  dynaliteDb.updateIndexes = (store: unknown, table: Table, before: Attributes, after: Attributes, done: Done) => {
    // `validateItem` has checked an item that was put.
    if (after && emptyIndexKey(after, table)) return done(dynaliteDb.validationError(`${UPDATES_INDEX_KEY} ${EMPTY}`));
    return updateIndexes(store, table, before, after, done);
  };
  dynaliteDb.itemSize = (item: Attributes, compress?: boolean, ...rest: unknown[]) =>
    itemSize(item, compress, ...rest) + (compress ? 0 : bytesBeyondLetters(item));
};

const NOT_VALID = 'One or more parameter values are not valid.';
const EMPTY = 'The AttributeValue for a key attribute cannot contain an empty string value.';
const UPDATES_INDEX_KEY = `${NOT_VALID} The update expression attempted to update a secondary index key to a value that is not supported.`;

const emptyIndexKey = (item: Attributes, table: Table): Error | undefined =>
  dynaliteDb.traverseIndexes(table, (name: string, _type: string, { IndexName }: Index) =>
    item[name]?.S === ''
      ? dynaliteDb.validationError(
          `${NOT_VALID} A value specified for a secondary index key is not supported. ${EMPTY} IndexName: ${IndexName}, IndexKey: ${name}`,
        )
      : undefined,
  );

const emptyBound = ({ KeyConditions = {} }: Request): string | undefined => {
  const empty = Object.entries(KeyConditions).find(([, { AttributeValueList }]) =>
    AttributeValueList.some(({ S }) => S === ''),
  );
  return empty && `${NOT_VALID} ${EMPTY} Key: ${empty[0]}`;
};

const expressionTooLong = (request: Request): string | undefined => {
  for (const name of Object.keys(expressions)) {
    const bytes = Buffer.byteLength((request[name] ?? '') as string);
    if (bytes > MAX_EXPRESSION_BYTES)
      return `Invalid ${name}: Expression size has exceeded the maximum allowed size; expression size: ${bytes}`;
  }
  return undefined;
};

const tooManyOperators = (request: Request): string | undefined => {
  for (const [name, parsed] of Object.entries(expressions)) {
    const operators = operatorsIn(request[parsed]);
    const operands = Math.max(0, ...operators.filter(({ type }) => type === 'in').map(({ args }) => args.length - 1));
    if (operands > MAX_OPERANDS_OF_IN)
      return `Invalid ${name}: The IN operator is provided with too many operands; number of operands: ${operands}`;
    if (operators.length > MAX_OPERATORS)
      return `Invalid ${name}: The expression contains too many operators; operator count: ${MAX_OPERATORS + 1}`;
  }
  return undefined;
};

type Operator = { type: string; args: unknown[] };
type Parsed = Partial<Operator> & { expression?: unknown; sections?: unknown; val?: unknown };

/** Returns the operators and functions of a parsed expression. They alone have arguments. */
const operatorsIn = (parsed: unknown): Operator[] => {
  if (Array.isArray(parsed)) return parsed.flatMap(operatorsIn);
  const { args, expression, sections, val } = (parsed ?? {}) as Parsed;
  return args ? [parsed as Operator, ...operatorsIn(args)] : operatorsIn(expression ?? sections ?? val ?? []);
};

/** Returns the difference between UTF-8 bytes, which DynamoDB counts, and the UTF-16 units that dynalite counts. */
const bytesBeyondLetters = (item: Attributes): number => {
  const json = JSON.stringify(item);
  return Buffer.byteLength(json) - json.length;
};
