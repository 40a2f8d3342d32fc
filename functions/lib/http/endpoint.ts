import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { z } from 'zod';
import { MAX_BODY_BYTES } from '../../../shared/check.ts';
import type { CorsEnv } from '../../../shared/env.ts';
import { ANONYMOUS, type Caller } from '../../../shared/keys.ts';
import { ApiProblem, apiProblems, type InputError, type Problem } from '../../../shared/problems.ts';
import { log } from '../log.ts';
import { redacted, withoutSecrets } from '../redact.ts';
import type { Access } from './access.ts';
import { corsHeaders } from './cors.ts';
import { securityHeaders } from './security-headers.ts';

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

type Answer = APIGatewayProxyStructuredResultV2;
type Work<Body> = (request: Request<Body>) => Promise<Reply>;
type Options<Body> = {
  access?: Access;
  cors: () => CorsEnv;
  body?: z.ZodType<Body>;
  query?: readonly string[] | 'any';
};

/**
 * The edge between API Gateway (payload 2.0) and a function: parses the request once, builds the function on its first
 * use, and turns whatever goes wrong into a problem document. `query` names the parameters that are accepted, `cors` says whose
 * pages may read the answers; without `access` everybody may ask.
 */
export const http = <Body = undefined>({ access, cors, body, query = [] }: Options<Body>, build: () => Work<Body>) => {
  let work: Work<Body> | undefined;
  let origins: readonly string[] | undefined;

  /** With the headers that every answer has, whatever became of the request. */
  const complete = (event: APIGatewayProxyEventV2, response: Answer): Answer => {
    const { method } = event.requestContext.http;
    const { vary, ...readable } = corsHeaders(origins ?? [], { method, path: pathOf(event), headers: event.headers });
    const varies = [response.headers?.vary, vary].filter(Boolean).join(', ');
    const own = { 'cache-control': 'no-store', ...securityHeaders, ...response.headers };
    const headers = { ...own, ...readable, ...(varies && { vary: varies }) };
    return { ...response, headers, ...(method === 'HEAD' && { body: '' }) };
  };

  return middy<APIGatewayProxyEventV2, Answer>()
    .onError((request) => {
      const { requestId } = request.event.requestContext;
      request.response = complete(request.event, problemAnswer(request.error, requestId, pathOf(request.event)));
    })
    .after((request) => {
      if (request.response) request.response = complete(request.event, request.response);
    })
    .handler(async (event) => {
      origins ??= cors().CORS_ORIGINS; // first of all: a page may read why it is refused
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

const answer = ({ status, headers = {}, body }: Reply): Answer => {
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
const problemAnswer = (error: unknown, requestId: string, path: string): Answer => {
  const problem = error instanceof ApiProblem ? error : ourFault(error, requestId, path);
  const { status, title } = apiProblems[problem.code];
  const body: Problem = {
    type: `urn:page-audit:problem:${problem.code}`,
    title,
    status,
    detail: withoutSecrets(problem.message),
    code: problem.code,
    requestId,
    ...(problem.errors && { errors: redacted(problem.errors) }),
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
