import { READY } from '../shared/partitions.ts';
import { ApiProblemError } from '../shared/problems.ts';
import { http } from './lib/http/http.ts';
import type { Reply } from './lib/http/response.ts';
import { log } from './lib/log.ts';
import { currentObstacle } from './lib/readiness.ts';
import { getItem, openDb } from './lib/store/dynamodb.ts';

/** GET /ready: answers 503 with the reason while the table does not respond, or while this machine can't audit. */
export const handler = http('ready', (env) => {
  const db = openDb(env);
  return ready({ readTable: () => getItem(db, { pk: READY, sk: READY }), obstacle: currentObstacle });
});

type Deps = {
  readTable: () => Promise<unknown>;
  obstacle: () => string | undefined;
};

export const ready =
  ({ readTable, obstacle }: Deps) =>
  async (): Promise<Reply> => {
    const reason = obstacle() ?? (await readTable().then(() => undefined, tableFailed));
    if (reason === undefined) return { status: 200, body: { status: 'ready' } };
    throw new ApiProblemError('unavailable', `The service can't audit pages now. ${reason}`, {
      headers: { 'retry-after': '10' },
    });
  };

const tableFailed = (error: Error): string => {
  log.error('The service is not ready.', { error });
  return 'Its table does not respond.';
};
