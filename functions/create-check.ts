import { type CreateDeps, checkCreator, createDeps } from './lib/checks/create-check.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { parseIdempotencyKey } from './lib/http/idempotency.ts';
import type { Reply } from './lib/http/response.ts';
import { closingDb } from './lib/queue/closing-db.ts';
import { secretStore } from './lib/store/secrets.ts';

/** POST /v1/checks: stores a check with one run per region, and queues each run in its region. */
export const handler = http('create-check', (env) => {
  const secrets = secretStore(env);
  return createCheck(createDeps(env, closingDb(env, secrets), secrets));
});

export const createCheck = (deps: CreateDeps) => {
  const create = checkCreator(deps);
  return async ({ owner, plan, body, headers, requestId }: Request): Promise<Reply> =>
    create({ owner, plan, body, key: parseIdempotencyKey(headers), requestId });
};
