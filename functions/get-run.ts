import { ReadEnv } from '../shared/env.ts';
import { runView } from '../shared/run.ts';
import { access } from './lib/http/access.ts';
import { http, type Request } from './lib/http/endpoint.ts';
import { findRun } from './lib/http/lookup.ts';
import type { Reply } from './lib/http/response.ts';
import { type CheckStore, checkStore } from './lib/store/checks.ts';
import { openDb } from './lib/store/dynamodb.ts';

const env = () => ReadEnv.parse(process.env);

/** GET /v1/checks/{checkId}/runs/{runId} and /v1/audit/runs/{runId}: returns the run. */
export const handler = http({ access: access('checks:read', env), cors: env, query: ['checkId'] }, () =>
  getRun({ store: checkStore(openDb(env())) }),
);

export const getRun =
  ({ store }: { store: Pick<CheckStore, 'find' | 'checkIdOfRun'> }) =>
  async (request: Request): Promise<Reply> => ({ status: 200, body: runView(await findRun(store, request)) });
