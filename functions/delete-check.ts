import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { checkIdOf, checkNotFound } from './lib/http/lookup.ts';
import type { Reply } from './lib/http/response.ts';
import { log } from './lib/log.ts';
import { type CheckStore, checkStore } from './lib/store/checks.ts';
import { openDb } from './lib/store/dynamodb.ts';
import { type ErasureStore, erasureStore } from './lib/store/erasure.ts';
import { reports } from './lib/store/reports.ts';
import { secretStore } from './lib/store/secrets.ts';

/**
 * DELETE /v1/checks/{checkId}: erases a check with its runs, reports, secrets and entries in lists. The sweeper deletes what this
 * leaves. Of an expired check, erases the entries in lists.
 */
export const handler = http('delete-check', (env) => {
  const db = openDb(env, secretStore(env));
  return deleteCheck({ store: checkStore(db), erasure: erasureStore(db, reports(env)) });
});

type Deps = {
  store: Pick<CheckStore, 'findErasable'>;
  erasure: Pick<ErasureStore, 'markErased' | 'eraseRemains' | 'eraseTrends'>;
  now?: () => Date;
};

export const deleteCheck =
  ({ store, erasure, now = () => new Date() }: Deps) =>
  async (request: Request): Promise<Reply> => {
    const id = checkIdOf(request);
    const found = id && (await store.findErasable(id, request.owner, now()));
    if (!found) {
      if (id && (await erasure.eraseTrends(id, request.owner, now()))) return { status: 204 };
      throw checkNotFound();
    }
    if (!(await erasure.markErased(found, now()))) throw checkNotFound(); // another request has erased it
    await erasure.eraseRemains(found.id).catch((error: Error) => {
      log.warn('Could not delete everything of the erased check. The sweeper retries.', { checkId: found.id, error });
    });
    return { status: 204 };
  };
