import { EVERYTHING } from '../batch.ts';
import type { Database, Result } from '../database.ts';
import { invalid, ServiceError } from './errors.ts';
import { holds, partsOf, update } from './evaluate.ts';
import type { Condition, Path } from './expressions.ts';
import { rangeOf } from './key-condition.ts';
import { pageOf, startOf } from './page.ts';
import { checkFields, checkSize, conditionFailed, expressionsOf, type Request } from './requests.ts';
import { type Rows, rowsOf } from './rows.ts';
import * as schema from './schema.ts';
import { checkValues, type Item } from './values.ts';

type Answer = Result<object>;
type Operation = { writes: boolean; run: (request: Request) => Answer };
/** One request of DynamoDB's API, as the SDK sends it. */
export type TableCall = { operation: string; input: object & Record<string, unknown> };

/** The service's table. It answers DynamoDB's requests that the stores send, and refuses what DynamoDB refuses. */
export class Table {
  readonly #database: Database;
  readonly #name: string;
  readonly #rows: Rows;

  constructor(database: Database, name: string) {
    this.#database = database;
    this.#name = name;
    this.#rows = rowsOf(database);
  }

  /** Answers a request when all that it has read or written is on the disk. */
  async call({ operation, input }: TableCall): Promise<object> {
    const { writes, run } = this.#operation(operation);
    const work = () => run(input as never);
    return writes ? await this.#database.write(work) : await this.#database.read(work);
  }

  /** Answers a request at once, although its writes are not on the disk yet. */
  answer({ operation, input }: TableCall): object {
    return this.#operation(operation).run(input as never).answer;
  }

  readonly #operations: Record<string, Operation> = {
    GetItem: { writes: false, run: (request) => this.#get(request) },
    Query: { writes: false, run: (request) => this.#query(request) },
    Scan: { writes: false, run: (request) => this.#scan(request) },
    PutItem: { writes: true, run: (request) => this.#put(request) },
    UpdateItem: { writes: true, run: (request) => this.#update(request) },
    DeleteItem: { writes: true, run: (request) => this.#delete(request) },
  };

  #operation(name: string): Operation {
    const operation = this.#operations[name];
    if (!operation) throw new ServiceError('UnknownOperationException', `Unknown operation ${name}`);
    return operation;
  }

  #check(operation: string, request: Request): void {
    if (request.TableName !== this.#name)
      throw new ServiceError('ResourceNotFoundException', 'Requested resource not found');
    checkFields(operation, request);
  }

  #get(request: Request): Answer {
    this.#check('GetItem', request);
    checkValues(request.Key);
    const [pk, sk] = schema.keyOf(request.Key);
    const item = this.#rows.get(pk, sk);
    return { answer: { ...(item && { Item: item }) }, parts: [pk] };
  }

  #put(request: Request): Answer {
    this.#check('PutItem', request);
    const item = request.Item ?? {};
    checkValues(item);
    checkSize(item);
    const { condition } = expressionsOf(request);
    const key = schema.keyOfItem(item);
    return this.#change(key, request, condition, () => item);
  }

  #delete(request: Request): Answer {
    this.#check('DeleteItem', request);
    checkValues(request.Key);
    const { condition } = expressionsOf(request);
    const answer = this.#change(schema.keyOf(request.Key), request, condition, () => undefined);
    this.#database.eraseSoon();
    return answer;
  }

  #update(request: Request): Answer {
    this.#check('UpdateItem', request);
    checkValues(request.Key);
    const { condition, actions } = expressionsOf(request);
    const key = schema.keyOf(request.Key);
    schema.checkUpdate(actions);
    const paths = actions.map(({ path }) => path);
    const change = (before: Item | undefined) => {
      const item = before ?? structuredClone(request.Key as Item);
      update(item, actions);
      checkSize(item, 'Item size to update has exceeded the maximum allowed size');
      schema.checkUpdated(item);
      return item;
    };
    return this.#change(key, request, condition, change, paths);
  }

  /** Writes what `change` makes of an item, if the condition holds. */
  #change(
    [pk, sk]: [string, string],
    request: Request,
    condition: Condition | undefined,
    change: (before: Item | undefined) => Item | undefined,
    paths: readonly Path[] = [],
  ): Answer {
    const { ReturnValues: returned = 'NONE' } = request;
    const before = this.#rows.get(pk, sk);
    if (condition && !holds(condition, before ?? {})) throw conditionFailed();
    const places = this.#rows.placesOf(before);
    const after = change(before);
    const touched = this.#rows.write([pk, sk], after, places);
    const shown = after && (returned === 'UPDATED_NEW' ? partsOf(after, paths) : after);
    return { answer: { ...(returned !== 'NONE' && shown && { Attributes: shown }) }, parts: [pk, ...touched] };
  }

  #query(request: Request): Answer {
    this.#check('Query', request);
    checkValues(request.ExclusiveStartKey);
    const index = request.IndexName === undefined ? undefined : schema.indexNamed(request.IndexName);
    const { keyCondition = [], filter = [] } = expressionsOf(request);
    const keys = index ?? schema;
    const range = rangeOf(keyCondition, keys);
    for (const { path } of filter.flat()) {
      if ([keys.partitionKey, keys.sortKey].some((name) => name === path[0]))
        throw invalid(`Filter Expression can only contain non-primary key attributes: Primary key: ${path[0]}`);
    }
    const start = startOf(request, index, range.partition);
    const rows = this.#rows.inRange({ index, range, start, isReversed: request.ScanIndexForward === false });
    return {
      answer: pageOf(rows, request, index, filter),
      parts: [index ? `${index.name} ${range.partition}` : range.partition],
    };
  }

  #scan(request: Request): Answer {
    this.#check('Scan', request);
    checkValues(request.ExclusiveStartKey);
    const { filter } = expressionsOf(request);
    const rows = this.#rows.all(startOf(request));
    return { answer: pageOf(rows, request, undefined, filter), parts: [EVERYTHING] };
  }
}
