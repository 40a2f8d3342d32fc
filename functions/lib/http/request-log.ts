import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Caller } from '../../../shared/keys.ts';
import { log } from '../log.ts';
import type { HttpResult } from './response.ts';

/** Logs who sent each request with a key. API Gateway's access log has the same `requestId`, but can't know the owner. */
export const requestLog = () => {
  const callers = new WeakMap<APIGatewayProxyEventV2, Caller>();
  return {
    authorized: (event: APIGatewayProxyEventV2, caller: Caller): void => void callers.set(event, caller),
    answered: (event: APIGatewayProxyEventV2, { statusCode: status }: HttpResult): void => {
      const owner = callers.get(event)?.owner;
      const { requestId } = event.requestContext;
      if (owner !== undefined) log.info('a request was answered', { requestId, route: event.routeKey, status, owner });
    },
  };
};
