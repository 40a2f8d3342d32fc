import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { ApiProblemError } from '../../../shared/problems.ts';
import { methodsOf, routeAt } from '../../../shared/service/routes.ts';
import type { Reply } from './response.ts';

/** Answers a method that a path does not support: OPTIONS with 204, else throws 405. Both have `Allow`. */
export const otherMethod = (method: string, supported: readonly string[]): Reply => {
  const allow = [...supported, 'OPTIONS'].join(', ');
  if (method === 'OPTIONS') return { status: 204, headers: { allow } };
  throw new ApiProblemError('method-not-allowed', `This path supports the methods ${allow}.`, { headers: { allow } });
};

/** Answers a method that the path does not support. It reached the function because the route of a read takes every method. */
export const strayMethod = ({ routeKey, requestContext }: APIGatewayProxyEventV2): Reply | undefined => {
  const { method } = requestContext.http;
  const route = routeAt(routeKey, 'GET');
  return route && !routeAt(routeKey, method) ? otherMethod(method, methodsOf(route.path)) : undefined;
};
