import { escaped, type ObjectRequest, type Objects } from './objects.ts';
import type { Queues } from './queues.ts';
import { ServiceError } from './table/errors.ts';
import type { Table } from './table/table.ts';

/** A request as the SDK sends it to a service of AWS. */
export type AwsRequest = {
  method: string;
  path: string;
  headers: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
};
export type AwsResponse = { statusCode: number; headers: Record<string, string>; body?: unknown };
/** Answers requests of the SDK. */
export type Handle = (
  request: AwsRequest,
  options?: { abortSignal?: AbortSignal; requestTimeout?: number },
) => Promise<{ response: AwsResponse }>;

type Services = { table: Table; queues?: Queues; objects?: Objects };

/** Returns the function that answers the requests of AWS clients in this process. */
export const answerOf =
  ({ table, queues, objects }: Services): Handle =>
  async (request, { abortSignal } = {}) => {
    abortSignal?.throwIfAborted();
    const [service = '', operation = ''] = (request.headers['x-amz-target'] ?? '').split('.');
    if (service.startsWith('DynamoDB'))
      return await inJson(() => table.call({ operation, input: inputOf(request) as Record<string, unknown> }));
    if (service === 'AmazonSQS' && queues)
      return await inJson(() => queues.call(operation, inputOf(request) as never, abortSignal));
    if (objects) return await inXml(request, objects);
    throw new Error(`No service on this machine answers ${request.method} ${request.path}.`);
  };

const inputOf = ({ body }: AwsRequest): unknown =>
  JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body as Uint8Array));

const inJson = async (work: () => Promise<object>) => {
  const answer = (statusCode: number, body: object) => ({
    response: {
      statusCode,
      headers: { 'content-type': 'application/x-amz-json-1.0' },
      body: Buffer.from(JSON.stringify(body)),
    },
  });
  try {
    return answer(200, await work());
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return answer(error.status, { __type: error.type, message: error.message });
  }
};

const inXml = async ({ method, path, headers, query = {}, body }: AwsRequest, objects: Objects) => {
  const [, , ...parts] = path.split('/'); // the first part is the bucket
  const request = {
    method,
    key: decodeURIComponent(parts.join('/')),
    query,
    headers,
    body,
  } as ObjectRequest;
  try {
    const { status, ...answer } = await objects.call(request);
    return { response: { statusCode: status, ...answer } };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const text = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${error.type}</Code><Message>${escaped(error.message)}</Message></Error>`;
    return {
      response: { statusCode: error.status, headers: { 'content-type': 'application/xml' }, body: Buffer.from(text) },
    };
  }
};
