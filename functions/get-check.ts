import { checkView } from '../shared/check.ts';
import type { Caller } from '../shared/keys.ts';
import { isFinished } from '../shared/run.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { checkIdOf, findCheck, type Lookup } from './lib/http/lookup.ts';
import type { Reply } from './lib/http/response.ts';
import { waiting } from './lib/http/waiting.ts';
import { type Wait, waitingReply } from './lib/http/waiting-reply.ts';
import { watchByPolling, watchOf } from './lib/store/changes.ts';
import { checkStore } from './lib/store/checks.ts';
import { openDb } from './lib/store/dynamodb.ts';

/** GET /v1/checks/{checkId}: returns the check with its complete runs. With `Prefer: wait`, waits for its end. */
export const handler = http('get-check', (env) =>
  getCheck({ store: checkStore(openDb(env)), wait: waiting(watchOf(env)) }),
);

type Deps = Lookup & { wait?: Wait };

export const getCheck =
  ({ wait = waiting(watchByPolling), ...lookup }: Deps) =>
  (request: Request<Caller>): Promise<Reply> =>
    waitingReply(request, wait, checkIdOf(request), async () => {
      const { item, runs } = await findCheck(lookup, request);
      return { view: checkView({ ...item, runs }), finished: runs.every((run) => isFinished(run.state)) };
    });
