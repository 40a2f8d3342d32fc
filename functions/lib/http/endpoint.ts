import middy from '@middy/core';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { CorsEnv } from '../../../shared/service/env.ts';
import type { OwnerCaller, ReaderCaller } from '../../../shared/service/keys.ts';
import type { RouteRules } from '../../../shared/service/routes.ts';
import { callsEndIn, withDeadline } from '../aws-client.ts';
import type { Access } from './access.ts';
import { basePathOf } from './base-path.ts';
import { compressed } from './compression.ts';
import { parseQuery, withLowerCaseIds } from './input.ts';
import { bytesOf, parseJsonBody } from './json-body.ts';
import { strayMethod } from './methods.ts';
import { requestLog, type Sender } from './request-log.ts';
import {
  type ErrorBody,
  type HttpResult,
  problemResult,
  type Reply,
  toHttpResult,
  withCommonHeaders,
} from './response.ts';

/** A request to an endpoint. Most endpoints serve owners only. */
export type Request<By extends Sender = OwnerCaller> = By & {
  /** API Gateway's id of the request. The runs that it creates, their jobs and their logs carry it as `correlationId`. */
  requestId: string;
  method: string;
  /** Host and port to which the client sent the request. */
  host?: string;
  path: string;
  params: Record<string, string | undefined>;
  query: Record<string, string | undefined>;
  /** The query string. API Gateway joins the values of a repeated parameter in `query`, but not here. */
  rawQuery?: string;
  headers: Record<string, string | undefined>;
  /** Value of the JSON body, which the endpoint judges, or the bytes of an upload. Undefined for endpoints that take none. */
  body: unknown;
  /** Returns the time until the function's timeout, in milliseconds. */
  remainingMs?: () => number;
  /** Aborts if the request must be answered at once: its client has disconnected, or the service stops. Lambda has none. */
  signal?: AbortSignal | undefined;
};

type EndpointContext = Context & Pick<Request, 'signal'>;

export type Handle<By extends Sender> = (request: Request<By>) => Promise<Reply>;
type Options<By extends Sender> = {
  /** Returns the rules of the route with this key. */
  rulesOf: (routeKey: string, method: string) => RouteRules;
  /** Authorizes the request. */
  access: Access<By>;
  /** Origins whose pages may read the responses, and the address of the service. */
  cors: () => CorsEnv;
  /** Returns the body of an error, if the endpoint has no problem documents. */
  errorBody?: ErrorBody | undefined;
};

/**
 * Returns the Lambda handler of an endpoint, for API Gateway events of payload format 2.0. The handler parses each
 * request once, calls `build` on the first one, and turns every error into a problem document. Its `admit` authorizes a
 * request, and returns the answer if that refuses it. Otherwise it notes the sender in the event. A server that has not
 * received the body yet can ask `admit` first.
 */
export const endpoint = <By extends Sender>(
  { rulesOf, access, cors, errorBody }: Options<By>,
  build: () => Handle<By>,
) => {
  let handle: Handle<By> | undefined;
  let origins: readonly string[] | undefined;
  const requests = requestLog();

  const authorize = async (event: APIGatewayProxyEventV2): Promise<By> => {
    const rules = rulesOf(event.routeKey, event.requestContext.http.method);
    return await access(rules, headersOf(event, rules), rules.shared ? readerOf(event) : undefined);
  };

  const answer = async (event: APIGatewayProxyEventV2, context: EndpointContext): Promise<HttpResult> => {
    const caller = await authorize(event); // before any input is parsed
    requests.authorized(event, caller);
    handle ??= build();
    const { http: requested } = event.requestContext;
    const { body, shared, query = [] } = rulesOf(event.routeKey, requested.method);
    const accepted = shared && query !== 'any' ? [...query, 'share'] : query;
    const reply = await handle({
      ...caller,
      requestId: event.requestContext.requestId,
      method: requested.method,
      host: event.requestContext.domainName,
      path: requested.path,
      params: withLowerCaseIds(event.pathParameters),
      query: withLowerCaseIds(parseQuery(event.queryStringParameters ?? {}, accepted)),
      rawQuery: event.rawQueryString,
      headers: event.headers,
      body: bodyOf(event, body),
      remainingMs: () => context.getRemainingTimeInMillis(),
      signal: context.signal,
    });
    return compressed(event.headers, toHttpResult(reply, basePathOf(cors().PUBLIC_URL)));
  };

  // Middy throws 5 ms before the Lambda timeout, so that a slow request still gets a problem document (503).
  const lambda = <Result extends HttpResult | undefined>(
    work: (event: APIGatewayProxyEventV2, context: EndpointContext) => Promise<Result>,
  ) =>
    middy<APIGatewayProxyEventV2, Result | HttpResult, Error, EndpointContext>()
      .onError((request) => {
        const { requestId, http } = request.event.requestContext;
        request.response = withCommonHeaders(
          request.event,
          origins ?? [],
          problemResult(request.error, { requestId, path: http.path, errorBody }),
        );
        requests.answered(request.event, request.response);
      })
      .after((request) => {
        if (!request.response) return;
        request.response = withCommonHeaders(request.event, origins ?? [], request.response);
        requests.answered(request.event, request.response);
      })
      .handler(async (event, context) => {
        origins ??= cors().CORS_ORIGINS; // first, so that a page can read a refusal too
        const other = strayMethod(event);
        if (other) return toHttpResult(other);
        return await withDeadline(callsEndIn(context.getRemainingTimeInMillis()), () => work(event, context));
      });
  const admit = lambda(async (event) => {
    Object.assign(event.requestContext, { authorizer: { lambda: await authorize(event) } });
    return undefined;
  });
  return Object.assign(lambda(answer), { admit });
};

const bodyOf = (event: APIGatewayProxyEventV2, body: RouteRules['body']): unknown => {
  if (body === 'upload') return bytesOf(event);
  return body === 'required' || (body && event.body) ? parseJsonBody(event) : undefined;
};

/** Returns the headers of a request, with the key that the query or the header of Google's clients has in place of ours. */
const headersOf = ({ headers, queryStringParameters }: APIGatewayProxyEventV2, { keyParameter }: RouteRules) => {
  const key =
    keyParameter === undefined ? undefined : (queryStringParameters?.[keyParameter] ?? headers['x-goog-api-key']);
  return key && headers.authorization === undefined ? { ...headers, authorization: `Bearer ${key}` } : headers;
};

/** Returns the sender of a request with a share token to a path of a check. */
const readerOf = ({ pathParameters, queryStringParameters }: APIGatewayProxyEventV2): ReaderCaller | undefined => {
  const [{ checkId }, token] = [withLowerCaseIds(pathParameters), queryStringParameters?.share];
  return checkId !== undefined && token !== undefined ? { reader: checkId, token } : undefined;
};
