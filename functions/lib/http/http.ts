import type { CorsEnv, ReadEnv } from '../../../shared/service/env.ts';
import type { EnvOf } from '../../../shared/service/functions.ts';
import type { Caller, OwnerCaller } from '../../../shared/service/keys.ts';
import { type ApiFunction, type Route, rulesOf } from '../../../shared/service/routes.ts';
import { envOf } from '../environment.ts';
import { once } from '../once.ts';
import { access } from './access.ts';
import { endpoint, type Handle } from './endpoint.ts';
import type { Sender } from './request-log.ts';
import type { ErrorBody } from './response.ts';

/** Sender whom a route admits. */
type SenderTo<R> = R extends { scope: 'public' }
  ? Record<never, never>
  : R extends { shared: true }
    ? Caller
    : OwnerCaller;
/** Sender whom a function admits. */
type SenderOf<Name extends ApiFunction> = Name extends Route['function']
  ? SenderTo<Extract<Route, { function: Name }>>
  : Record<never, never>;

/**
 * Returns the Lambda handler of an API function. Its row in shared/service/functions.ts has its variables, and the rows of its
 * routes say who may send a request and what they accept. `errorBody` replaces problem documents for clients of another API.
 * Reads the environment at the first request, not on import.
 */
export const http = <Name extends ApiFunction>(
  name: Name,
  build: (env: EnvOf<Name>) => Handle<SenderOf<Name>>,
  errorBody?: ErrorBody,
): ReturnType<typeof endpoint> => {
  const env = once(() => envOf(name));
  return endpoint<Sender>(
    {
      rulesOf,
      cors: () => env() as CorsEnv,
      access: access(() => env() as ReadEnv), // the type of `functionRows` demands it for routes that need a key
      errorBody,
    },
    () => build(env()) as Handle<Sender>,
  );
};
