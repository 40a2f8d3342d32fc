import type { Caller } from '../shared/service/keys.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { lookAtCheck } from './lib/http/looks.ts';
import type { Lookup } from './lib/http/lookup.ts';
import type { Reply } from './lib/http/response.ts';
import { readingReply } from './lib/http/waiting-reply.ts';
import { checkStore } from './lib/store/checks.ts';
import { openDb } from './lib/store/dynamodb.ts';

/** GET /v1/checks/{checkId}: returns the check with its complete runs, or redirects a client that has to wait. */
export const handler = http('get-check', (env) => getCheck({ store: checkStore(openDb(env)) }));

export const getCheck =
  (lookup: Lookup) =>
  (request: Request<Caller>): Promise<Reply> =>
    readingReply(request, lookAtCheck(lookup, request).look);
