import { checkView } from '../shared/check.ts';
import { GetCheckEnv } from '../shared/env.ts';
import { isFinished } from '../shared/run.ts';
import { access } from './lib/http/access.ts';
import { conditionalReply } from './lib/http/conditional.ts';
import { http, type Request } from './lib/http/endpoint.ts';
import { findCheck } from './lib/http/lookup.ts';
import type { Reply } from './lib/http/response.ts';
import { preferredWait, waiting } from './lib/http/waiting.ts';
import { watchAnnounced, watchByPolling } from './lib/store/changes.ts';
import { type CheckStore, checkStore } from './lib/store/checks.ts';
import { openDb } from './lib/store/dynamodb.ts';

const env = () => GetCheckEnv.parse(process.env);

/** GET /v1/checks/{checkId}: returns the check with its complete runs. With `Prefer: wait`, waits for its end. */
export const handler = http({ access: access('checks:read', env), cors: env, shared: true }, () => {
  const watch = env().CHANGES_FROM === 'process' ? watchAnnounced : watchByPolling;
  return getCheck({ store: checkStore(openDb(env())), wait: waiting(watch) });
});

type Deps = { store: Pick<CheckStore, 'find'>; wait?: ReturnType<typeof waiting> };

export const getCheck =
  ({ store, wait = waiting(watchByPolling) }: Deps) =>
  async (request: Request): Promise<Reply> => {
    const read = async () => {
      const { item, runs } = await findCheck(store, request);
      const finished = runs.every((run) => isFinished(run.state));
      return { finished, reply: conditionalReply(request, checkView({ ...item, runs }), { finished }) };
    };
    const hasTag = request.headers['if-none-match'] !== undefined;
    const isAwaited = ({ finished, reply }: Awaited<ReturnType<typeof read>>) =>
      finished || (hasTag && reply.status === 200);

    const seconds = preferredWait(request.headers.prefer);
    const { reply } = seconds ? await wait(request, seconds, { read, isAwaited }) : await read();
    const applied = seconds !== undefined && { 'preference-applied': `wait=${seconds}` };
    return { ...reply, headers: { ...reply.headers, vary: 'Prefer', ...applied } };
  };
