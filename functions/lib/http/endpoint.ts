import middy from '@middy/core';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { z } from 'zod';
import type { CorsEnv } from '../../../shared/env.ts';
import { ANONYMOUS, type Caller } from '../../../shared/keys.ts';
import type { Access } from './access.ts';
import { parseBody, parseQuery } from './input.ts';
import { type HttpResult, problemResult, type Reply, toHttpResult, withCommonHeaders } from './response.ts';

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

type Handle<Body> = (request: Request<Body>) => Promise<Reply>;
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
export const http = <Body = undefined>(
  { access, cors, body, query = [] }: Options<Body>,
  build: () => Handle<Body>,
) => {
  let handle: Handle<Body> | undefined;
  let origins: readonly string[] | undefined;

  // Middy throws 5 ms before the Lambda timeout, so that a slow request still gets a problem document (503).
  return middy<APIGatewayProxyEventV2, HttpResult>()
    .onError((request) => {
      const { requestId, http } = request.event.requestContext;
      request.response = withCommonHeaders(
        request.event,
        origins ?? [],
        problemResult(request.error, requestId, http.path),
      );
    })
    .after((request) => {
      if (request.response) request.response = withCommonHeaders(request.event, origins ?? [], request.response);
    })
    .handler(async (event) => {
      origins ??= cors().CORS_ORIGINS; // first of all: a page may read why it is refused
      const caller = access ? await access(event.headers) : { owner: ANONYMOUS }; // before anything else is looked at
      handle ??= build();
      const { http: requested } = event.requestContext;
      return toHttpResult(
        await handle({
          requestId: event.requestContext.requestId,
          ...caller,
          method: requested.method,
          path: requested.path,
          params: event.pathParameters ?? {},
          query: parseQuery(event.queryStringParameters ?? {}, query),
          headers: event.headers,
          body: body ? parseBody(event, body) : (undefined as Body),
        }),
      );
    });
};
