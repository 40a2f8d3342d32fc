import type { Caller } from '../shared/keys.ts';
import { isFinished, runView } from '../shared/run.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { placeOfRun, type RunLookup, readRun } from './lib/http/lookup.ts';
import type { Reply } from './lib/http/response.ts';
import { waiting } from './lib/http/waiting.ts';
import { type Wait, waitingReply } from './lib/http/waiting-reply.ts';
import { watchByPolling, watchOf } from './lib/store/changes.ts';
import { checkStore } from './lib/store/checks.ts';
import { openDb } from './lib/store/dynamodb.ts';

/**
 * GET /v1/checks/{checkId}/runs/{runId} and /v1/audit/runs/{runId}: returns the run. With `Prefer: wait`, waits for its
 * end.
 */
export const handler = http('get-run', (env) =>
  getRun({ store: checkStore(openDb(env)), wait: waiting(watchOf(env)) }),
);

type Deps = RunLookup & { wait?: Wait };

export const getRun =
  ({ wait = waiting(watchByPolling), ...lookup }: Deps) =>
  async (request: Request<Caller>): Promise<Reply> => {
    const place = await placeOfRun(lookup.store, request);
    return waitingReply(request, wait, place.checkId, async () => {
      const run = await readRun(lookup, place, request);
      return { view: runView(run), finished: isFinished(run.state) };
    });
  };
