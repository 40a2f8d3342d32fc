import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { OwnerCaller, ReaderCaller } from '../../../shared/service/keys.ts';
import { log } from '../log.ts';
import type { HttpResult } from './response.ts';

/** Sender of a request. The sender of a request to a public endpoint is unknown. */
export type Sender = Partial<OwnerCaller> | ReaderCaller;

/** Logs who sent each request with a key. API Gateway's access log has the same `requestId`, but can't know the owner. */
export const requestLog = () => {
  const owners = new WeakMap<APIGatewayProxyEventV2, string>();
  return {
    authorized: (event: APIGatewayProxyEventV2, sender: Sender): void => {
      if ('owner' in sender && sender.owner !== undefined) owners.set(event, sender.owner);
    },
    answered: (event: APIGatewayProxyEventV2, { statusCode: status }: HttpResult): void => {
      const owner = owners.get(event);
      const { requestId } = event.requestContext;
      if (owner !== undefined)
        log.info('The request is answered.', { requestId, route: event.routeKey, status, owner });
    },
  };
};
