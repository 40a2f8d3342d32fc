import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { ApiProblemError, apiProblems, type Problem } from '../../../shared/problems.ts';
import { methodsOf } from '../../../shared/service/routes.ts';
import { log } from '../log.ts';
import { obstacleOf } from '../readiness.ts';
import { redact, redactText } from '../redact.ts';
import { UnreadableItemError, WriteConflictError } from '../store/dynamodb.ts';
import { UnknownFormatError } from '../store/format.ts';
import { bufferOf } from '../thread/buffers.ts';
import { headersUnder, linksUnder } from './base-path.ts';
import { commonHeaders } from './security-headers.ts';

/** Reply of an endpoint. `body` becomes JSON, unless it is a text or bytes, which need a `content-type` header. */
export type Reply = { status: number; headers?: Record<string, string>; body?: unknown };

/** Response in API Gateway's payload format 2.0. */
export type HttpResult = APIGatewayProxyStructuredResultV2;

/** Adds the security, cache and CORS headers of every response, errors included. Removes the body of a HEAD. */
export const withCommonHeaders = (
  event: APIGatewayProxyEventV2,
  origins: readonly string[],
  response: HttpResult,
): HttpResult => {
  const { method, path } = event.requestContext.http;
  const { vary, ...cors } = corsHeaders(origins, { method, path, headers: event.headers });
  const allVary = [response.headers?.vary, vary].filter(Boolean).join(', ');
  const own = { ...commonHeaders, ...response.headers };
  const headers = { ...own, ...cors, ...(allVary && { vary: allVary }) };
  return { ...response, headers, ...(method === 'HEAD' && { body: '' }) };
};

/** Turns a reply into a response. The service may lie under a path of its host. */
export const toHttpResult = ({ status, headers: own = {}, body }: Reply, base = ''): HttpResult => {
  const headers = headersUnder(base, own);
  if (body === undefined) return { statusCode: status, headers, body: '' };
  if (typeof body === 'string') return { statusCode: status, headers, body };
  if (body instanceof Uint8Array)
    return { statusCode: status, headers, body: bufferOf(body).toString('base64'), isBase64Encoded: true };
  return {
    statusCode: status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body, base === '' ? undefined : linksUnder(base)),
  };
};

/** Returns the body of an error for clients of another API. */
export type ErrorBody = (problem: Problem) => object;

/**
 * Turns an error into a problem document, or into the body of another API. Logs errors other than `ApiProblemError`, and
 * hides them from the client.
 */
export const problemResult = (
  error: unknown,
  { requestId, path, errorBody }: { requestId: string; path: string; errorBody?: ErrorBody | undefined },
): HttpResult => {
  const problem = error instanceof ApiProblemError ? error : unexpectedProblem(error, requestId, path);
  const { status, title } = apiProblems[problem.code];
  const body: Problem = {
    type: `urn:page-audit:problem:${problem.code}`,
    title,
    status,
    detail: redactText(problem.message),
    code: problem.code,
    requestId,
    ...(problem.errors && { errors: redact(problem.errors) }),
  };
  const type = errorBody ? 'application/json' : 'application/problem+json';
  return toHttpResult({
    status,
    headers: { 'content-type': type, ...problem.headers },
    body: errorBody ? errorBody(body) : body,
  });
};

const unexpectedProblem = (error: unknown, requestId: string, path: string): ApiProblemError => {
  log.error('The request failed.', { requestId, path, error: error as Error });
  if (isUnavailable(error)) {
    const cause = obstacleOf('table') ?? 'A part of the service did not respond.';
    return new ApiProblemError('unavailable', `${cause} Retry in 5 seconds.`, {
      headers: { 'retry-after': '5' },
    });
  }
  if (error instanceof WriteConflictError)
    return new ApiProblemError('unavailable', 'Other requests change the same item at the same time. Retry in 1 s.', {
      headers: { 'retry-after': '1' },
    });
  if (error instanceof UnknownFormatError) {
    const detail = 'This release of the service can not use the stored data. Retry in a minute.';
    return new ApiProblemError('unavailable', detail, { headers: { 'retry-after': '60' } });
  }
  if (error instanceof UnreadableItemError) {
    return new ApiProblemError(
      'internal',
      'This release of the service can not read the stored data. They can be erased.',
    );
  }
  return new ApiProblemError(
    'internal',
    'An internal error occurred. The log of the service has the details under this requestId.',
  );
};

/** Returns true if an AWS service was unreachable, slow, throttled us or failed, after the SDK's retries. */
const isUnavailable = (error: unknown): boolean => {
  const { name, code, $metadata } = (error ?? {}) as {
    name?: string;
    code?: string;
    $metadata?: { httpStatusCode?: number };
  };
  return (
    ($metadata?.httpStatusCode ?? 0) >= 500 ||
    /AbortError|Throttl|ProvisionedThroughput|RequestLimit|SlowDown|Timeout/.test(name ?? '') ||
    /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)/.test(code ?? '')
  );
};

type CorsRequest = { method: string; path: string; headers: Record<string, string | undefined> };

/**
 * Returns the CORS headers that let pages of these origins read a response. `*` allows every origin.
 * The API takes no cookies, so it never allows credentials.
 */
const corsHeaders = (origins: readonly string[], { method, path, headers }: CorsRequest): Record<string, string> => {
  if (origins.length === 0) return {};
  const { origin = '', 'access-control-request-method': requestedMethod } = headers;
  const anyOrigin = origins.includes('*');
  if (!anyOrigin && !origins.includes(origin)) return { vary: 'Origin' };
  return {
    'access-control-allow-origin': anyOrigin ? '*' : origin,
    ...(!anyOrigin && { vary: 'Origin' }),
    ...(method === 'OPTIONS' && requestedMethod
      ? {
          'access-control-allow-methods': methodsOf(path).join(', '),
          'access-control-allow-headers':
            'Authorization, Content-Type, Idempotency-Key, If-None-Match, Mcp-Protocol-Version, Prefer, X-Goog-Api-Key',
          'access-control-max-age': '600',
        }
      : { 'access-control-expose-headers': '*' }),
  };
};
