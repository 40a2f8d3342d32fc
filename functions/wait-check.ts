import type { Caller } from '../shared/service/keys.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { lookAtCheck, lookAtRun } from './lib/http/looks.ts';
import type { RunLookup } from './lib/http/lookup.ts';
import type { Reply } from './lib/http/response.ts';
import { waiting } from './lib/http/waiting.ts';
import { type Wait, waitingReply } from './lib/http/waiting-reply.ts';
import { watchByPolling, watchOf } from './lib/store/changes.ts';
import { checkStore } from './lib/store/checks.ts';
import { openDb } from './lib/store/dynamodb.ts';

/**
 * GET …/wait of a check or a run, to which `get-check` and `get-run` redirect: waits for its end or its next change. A wait
 * takes up to 25 s, so on AWS its own reserved concurrency bounds all waits.
 */
export const handler = http('wait-check', (env) =>
  waitCheck({ store: checkStore(openDb(env)), wait: waiting(watchOf(env)) }),
);

type Deps = RunLookup & { wait?: Wait };

export const waitCheck =
  ({ wait = waiting(watchByPolling), ...lookup }: Deps) =>
  async (request: Request<Caller>): Promise<Reply> => {
    const ofRun = request.params.runId !== undefined;
    return waitingReply(request, wait, ofRun ? await lookAtRun(lookup, request) : lookAtCheck(lookup, request));
  };
