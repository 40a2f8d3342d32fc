import { checkView } from '../shared/check.ts';
import { ReadEnv } from '../shared/env.ts';
import { isFinished } from '../shared/run.ts';
import { access } from './lib/http/access.ts';
import { conditionalReply } from './lib/http/conditional.ts';
import { http, type Request } from './lib/http/endpoint.ts';
import { findCheck } from './lib/http/lookup.ts';
import type { Reply } from './lib/http/response.ts';
import { type CheckStore, checkStore } from './lib/store/checks.ts';
import { openDb } from './lib/store/dynamodb.ts';

const env = () => ReadEnv.parse(process.env);

/** GET /v1/checks/{checkId}: returns the check with its complete runs. */
export const handler = http({ access: access('checks:read', env), cors: env }, () =>
  getCheck({ store: checkStore(openDb(env())) }),
);

export const getCheck =
  ({ store }: { store: Pick<CheckStore, 'find'> }) =>
  async (request: Request): Promise<Reply> => {
    const { item, runs } = await findCheck(store, request);
    const finished = runs.every((run) => isFinished(run.state));
    return conditionalReply(request, checkView({ ...item, runs }), { finished });
  };
