import { ReadEnv } from '../shared/env.ts';
import { isFinished, runView } from '../shared/run.ts';
import { access } from './lib/http/access.ts';
import { conditionalReply } from './lib/http/conditional.ts';
import { http, type Request } from './lib/http/endpoint.ts';
import { findRun } from './lib/http/lookup.ts';
import type { Reply } from './lib/http/response.ts';
import { type CheckStore, checkStore } from './lib/store/checks.ts';
import { openDb } from './lib/store/dynamodb.ts';

const env = () => ReadEnv.parse(process.env);

/** GET /v1/checks/{checkId}/runs/{runId} and /v1/audit/runs/{runId}: returns the run. */
export const handler = http({ access: access('checks:read', env), cors: env, shared: true, query: ['checkId'] }, () =>
  getRun({ store: checkStore(openDb(env())) }),
);

export const getRun =
  ({ store }: { store: Pick<CheckStore, 'find' | 'checkIdOfRun'> }) =>
  async (request: Request): Promise<Reply> => {
    const run = await findRun(store, request);
    return conditionalReply(request, runView(run), { finished: isFinished(run.state) });
  };
