import type { Caller } from '../shared/service/keys.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { lookAtRun } from './lib/http/looks.ts';
import type { RunLookup } from './lib/http/lookup.ts';
import type { Reply } from './lib/http/response.ts';
import { readingReply } from './lib/http/waiting-reply.ts';
import { checkStore } from './lib/store/checks.ts';
import { openDb } from './lib/store/dynamodb.ts';

/**
 * GET /v1/checks/{checkId}/runs/{runId} and /v1/audit/runs/{runId}: returns the run, or redirects a client that has to
 * wait.
 */
export const handler = http('get-run', (env) => getRun({ store: checkStore(openDb(env)) }));

export const getRun =
  (lookup: RunLookup) =>
  async (request: Request<Caller>): Promise<Reply> =>
    readingReply(request, (await lookAtRun(lookup, request)).look);
