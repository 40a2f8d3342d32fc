import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { ApiProblemError } from '../../../shared/problems.ts';
import { methodsOf } from '../../../shared/service/routes.ts';
import type { Reply } from './response.ts';

/** Answers a method that a path does not support: OPTIONS with 204, else throws 405. Both have `Allow`. */
export const otherMethod = (method: string, supported: readonly string[]): Reply => {
  const allow = [...supported, 'OPTIONS'].join(', ');
  if (method === 'OPTIONS') return { status: 204, headers: { allow } };
  throw new ApiProblemError('method-not-allowed', `This path supports the methods ${allow}.`, { headers: { allow } });
};

/** Answers a method other than GET and HEAD that reached the function of a read, because its route takes every method. */
export const strayMethod = ({ routeKey, requestContext }: APIGatewayProxyEventV2): Reply | undefined => {
  const [any, path = ''] = routeKey.split(' ');
  const { method } = requestContext.http;
  return any === 'ANY' && !['GET', 'HEAD'].includes(method) ? otherMethod(method, methodsOf(path)) : undefined;
};
