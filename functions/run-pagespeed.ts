import type { asCreated } from '../shared/check.ts';
import { ApiProblemError } from '../shared/problems.ts';
import { isFinished } from '../shared/states.ts';
import { callsEndIn, withDeadline } from './lib/aws-client.ts';
import { type CreateDeps, checkCreator, createDeps } from './lib/checks/create-check.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { findCheck, type RunLookup } from './lib/http/lookup.ts';
import { acceptsGzip } from './lib/http/negotiation.ts';
import type { Reply } from './lib/http/response.ts';
import { reportOf } from './lib/http/stored-report.ts';
import { waiting } from './lib/http/waiting.ts';
import type { Wait } from './lib/http/waiting-reply.ts';
import { replyOf } from './lib/page-speed/answer.ts';
import { failureOf, googleErrorOf } from './lib/page-speed/errors.ts';
import { parseMask } from './lib/page-speed/fields.ts';
import { checkOf } from './lib/page-speed/inputs.ts';
import { findOrName } from './lib/page-speed/same-request.ts';
import { closingDb } from './lib/queue/closing-db.ts';
import { watchOf } from './lib/store/changes.ts';
import { checkStore } from './lib/store/checks.ts';
import { type Reports, reports } from './lib/store/reports.ts';
import { secretStore } from './lib/store/secrets.ts';
import { inThread } from './lib/thread/in-thread.ts';

/**
 * GET /pagespeedonline/v5/runPagespeed: creates a check, waits for its end, and returns its report in the shape of
 * PageSpeed's API. A request whose time is over gets a 503, and the same request later gets the result of its check.
 */
export const handler = http(
  'run-pagespeed',
  (env) => {
    const secrets = secretStore(env);
    const db = closingDb(env, secrets);
    const deps = { ...createDeps(env, db, secrets), store: checkStore(db), reports: reports(env) };
    // The limit of open checks bounds these waits.
    const wait = waiting(watchOf(env), new Map(), Number.POSITIVE_INFINITY);
    return runPageSpeed({ ...deps, wait, maxBytes: env.MAX_ANSWER_BYTES });
  },
  googleErrorOf,
);

type Deps = CreateDeps &
  RunLookup & { wait: Wait; reports: Pick<Reports, 'get' | 'exists'>; maxBytes: number; now?: () => Date };

/** Time that a wait leaves for reading the report, in milliseconds. */
const READING_MS = 4000;
/** Longest time that a create takes, in milliseconds. */
const CREATE_MS = 3000;

export const runPageSpeed = (deps: Deps) => {
  const { store, wait, queues, reports, maxBytes, now = () => new Date() } = deps;
  const create = checkCreator(deps);
  return async (request: Request): Promise<Reply> => {
    const { owner, plan, requestId, rawQuery = '', remainingMs = () => Number.POSITIVE_INFINITY } = request;
    const body = checkOf(rawQuery, queues.regions);
    const { fields } = request.query;
    const mask = fields ? parseMask(fields) : undefined; // before the audit
    const waitMs = remainingMs() - READING_MS;
    const next = await findOrName(store, { owner, body, waitMs: waitMs - CREATE_MS, now: now() });
    const checkId =
      'found' in next
        ? next.found.item.id
        : ((await create({ owner, plan, body, key: next.key, requestId })).body as ReturnType<typeof asCreated>).id;

    const ofCheck = { ...request, params: { checkId }, query: {} };
    const { item, runs } = await wait(request, {
      checkId,
      seconds: waitMs / 1000,
      read: () => findCheck({ store, now }, ofCheck),
      isAwaited: (found) => found.runs.every(({ state }) => isFinished(state)),
    });
    const [run] = runs;
    if (!run || !isFinished(run.state)) throw goesOn();
    if (run.state === 'failed') return failureOf(run);
    const { readParsable } = reportOf({ store, now, reports }, ofCheck, run);
    const zipped = await withDeadline(callsEndIn(remainingMs()), readParsable);
    const measured = { url: run.url, finalUrl: run.finalUrl, fieldData: item.fieldData };
    const gzipped = acceptsGzip(request.headers['accept-encoding']);
    return inThread({ replyOf }, zipped, measured, { gzipped, maxBytes, mask });
  };
};

const goesOn = () =>
  new ApiProblemError(
    'unavailable',
    'The audit of this page is not finished. Send the same request again within ten minutes to get its result.',
    { headers: { 'retry-after': '5' } },
  );
