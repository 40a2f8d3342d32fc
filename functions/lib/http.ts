import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { z } from 'zod';
import { MAX_BODY_BYTES } from '../../shared/check.ts';
import { ANONYMOUS, type Caller } from '../../shared/keys.ts';
import { ApiProblem, apiProblems, type InputError, type Problem } from '../../shared/problems.ts';
import type { Access } from './access.ts';
import { log } from './log.ts';

export type Request<Body = undefined> = Caller & {
  /** Follows what came of the request through logs: it is in the job and on the run too. */
  requestId: string;
  method: string;
  path: string;
  params: Record<string, string | undefined>;
  query: Record<string, string | undefined>;
  headers: Record<string, string | undefined>;
  body: Body;
};

/** What a function answers with. `body` is JSON, or bytes with a `content-type` of their own. */
export type Reply = { status: number; headers?: Record<string, string>; body?: unknown };

type Work<Body> = (request: Request<Body>) => Promise<Reply>;
type Options<Body> = { access?: Access; body?: z.ZodType<Body>; query?: readonly string[] | 'any' };

/**
 * The edge between API Gateway (payload 2.0) and a function: parses the request once, builds the function on its first
 * use, and turns whatever goes wrong into a problem document. `query` names the parameters that are accepted; without
 * `access` everybody may ask.
 */
export const http = <Body = undefined>({ access, body, query = [] }: Options<Body>, build: () => Work<Body>) => {
  let work: Work<Body> | undefined;
  return middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>()
    .onError((request) => {
      request.response = problemAnswer(request.error, request.event.requestContext.requestId, pathOf(request.event));
    })
    .after((request) => {
      const { response, event } = request;
      if (!response) return;
      response.headers = { 'cache-control': 'no-store', ...response.headers, 'x-content-type-options': 'nosniff' };
      if (event.requestContext.http.method === 'HEAD') response.body = '';
    })
    .handler(async (event) => {
      const caller = access ? await access(event.headers) : { owner: ANONYMOUS }; // before anything else is looked at
      work ??= build();
      const { http: asked } = event.requestContext;
      return answer(
        await work({
          requestId: event.requestContext.requestId,
          ...caller,
          method: asked.method,
          path: pathOf(event),
          params: event.pathParameters ?? {},
          query: parseQuery(event.queryStringParameters ?? {}, query),
          headers: event.headers,
          body: body ? parseBody(event, body) : (undefined as Body),
        }),
      );
    });
};

const pathOf = (event: APIGatewayProxyEventV2) => event.requestContext.http.path;

const parseQuery = (sent: Record<string, string | undefined>, accepted: readonly string[] | 'any') => {
  if (accepted === 'any') return sent;
  const errors = Object.keys(sent)
    .filter((name) => !accepted.includes(name))
    .map((name) => ({ path: name.slice(0, 100), message: `accepted here: ${accepted.join(', ') || 'none'}` }));
  if (errors.length > 0) {
    throw new ApiProblem('invalid-request', 'The query has parameters that are unknown here.', { errors });
  }
  return sent;
};

const parseBody = <Body>(event: APIGatewayProxyEventV2, schema: z.ZodType<Body>): Body => {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > MAX_BODY_BYTES) {
    throw new ApiProblem('payload-too-large', `A body may have up to ${MAX_BODY_BYTES} bytes; this one is larger.`);
  }
  const type = event.headers['content-type'];
  if (type !== undefined && !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type.trim())) {
    throw new ApiProblem('unsupported-media-type', 'Send the body as JSON, with "Content-Type: application/json".');
  }
  const parsed = schema.safeParse(parseJson(bytes));
  if (parsed.success) return parsed.data;
  throw new ApiProblem('invalid-request', 'The body is not as expected; `errors` says where.', {
    errors: inputErrors(parsed.error),
  });
};

const parseJson = (bytes: Buffer): unknown => {
  if (bytes.length === 0) throw new ApiProblem('invalid-request', 'The body is empty; a JSON object is expected.');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ApiProblem('invalid-request', 'The body is not valid JSON (in UTF-8).');
  }
};

const inputErrors = (error: z.ZodError): InputError[] =>
  error.issues.slice(0, 50).flatMap((issue): InputError[] => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys
        .slice(0, 50)
        .map((key) => ({ path: [...issue.path, key].join('.').slice(0, 100), message: 'unknown field' }));
    }
    return [{ path: issue.path.join('.'), message: issue.message }];
  });

const answer = ({ status, headers = {}, body }: Reply): APIGatewayProxyStructuredResultV2 => {
  if (body === undefined) return { statusCode: status, headers, body: '' };
  if (Buffer.isBuffer(body)) {
    return { statusCode: status, headers, body: body.toString('base64'), isBase64Encoded: true };
  }
  return {
    statusCode: status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
};

/** Turns an error into a problem document. Only an ApiProblem speaks to the caller; all else is ours, and is logged. */
const problemAnswer = (error: unknown, requestId: string, path: string): APIGatewayProxyStructuredResultV2 => {
  const problem = error instanceof ApiProblem ? error : ourFault(error, requestId, path);
  const { status, title } = apiProblems[problem.code];
  const body: Problem = {
    type: `urn:page-audit:problem:${problem.code}`,
    title,
    status,
    detail: problem.message,
    code: problem.code,
    requestId,
    ...(problem.errors && { errors: problem.errors }),
  };
  return answer({ status, headers: { 'content-type': 'application/problem+json', ...problem.headers }, body });
};

const ourFault = (error: unknown, requestId: string, path: string): ApiProblem => {
  log.error('a request failed', { requestId, path, error: error as Error });
  if (isUnavailable(error)) {
    return new ApiProblem('unavailable', 'A part of the service does not answer. Try again soon.', {
      headers: { 'retry-after': '5' },
    });
  }
  return new ApiProblem('internal', 'The service met an error of its own; the request id finds it in the log.');
};

/** Whether an AWS service could not be reached or turned us away, after the SDK's own retries. */
const isUnavailable = (error: unknown): boolean => {
  const { name, code, $metadata } = (error ?? {}) as {
    name?: string;
    code?: string;
    $metadata?: { httpStatusCode?: number };
  };
  return (
    ($metadata?.httpStatusCode ?? 0) >= 500 ||
    /Throttl|ProvisionedThroughput|RequestLimit|SlowDown|Timeout/.test(name ?? '') ||
    /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)/.test(code ?? '')
  );
};
