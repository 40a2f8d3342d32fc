import { randomUUID } from 'node:crypto';
import { type NamedSecrets, namesOfSecrets } from '../shared/options/secrets.ts';
import { ApiProblemError } from '../shared/problems.ts';
import type { Region } from '../shared/regions.ts';
import type { Schedule } from '../shared/schedules.ts';
import { type PlanName, plans } from '../shared/service/plans.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import type { Reply } from './lib/http/response.ts';
import { parseSchedule, parseScheduleEdit } from './lib/http/schedule-body.ts';
import { nextTime } from './lib/schedules/schedule-times.ts';
import { newWatch, watchedRegions } from './lib/schedules/watch-schedule.ts';
import { openDb, WriteConflictError } from './lib/store/dynamodb.ts';
import type { ScheduleItem } from './lib/store/schedule-items.ts';
import { type ScheduleStore, scheduleSecretsKeyOf, scheduleStore } from './lib/store/schedules.ts';
import { type SecretStore, secretStore } from './lib/store/secrets.ts';
import { type TargetPolicy, targetPolicy } from './lib/targets/public-addresses.ts';

/** /v1/schedules and below: creates, shows, edits, pauses, resumes and deletes the schedules of an owner. The sweeper runs them. */
export const handler = http('schedules', (env) => {
  const secrets = secretStore(env);
  const store = scheduleStore(openDb(env, secrets));
  return schedules({ store, secrets, regions: env.REGIONS, targets: targetPolicy(env) });
});

type Deps = {
  store: Pick<ScheduleStore, 'list' | 'find' | 'create' | 'edit' | 'erase' | 'pause' | 'resume'>;
  secrets: Pick<SecretStore, 'put'>;
  /** Regions that this environment has deployed. */
  regions: readonly Region[];
  targets: TargetPolicy;
  newId?: () => string;
  now?: () => Date;
};
type Work = Required<Deps>;

export const schedules = (deps: Deps) => {
  const work: Work = { newId: randomUUID, now: () => new Date(), ...deps };
  return async (request: Request): Promise<Reply> => {
    const { method, owner, params, path } = request;
    if (params.scheduleId === undefined) return method === 'POST' ? create(work, request) : list(work, owner);
    const schedule = await work.store.find(owner, params.scheduleId);
    if (!schedule) throw notFound();
    const [, , , , action] = path.split('/');
    if (action === 'pause') return pause(work, schedule);
    if (action === 'resume') return resume(work, schedule);
    if (method === 'PATCH') return edit(work, schedule, request.body);
    if (method !== 'DELETE') return { status: 200, body: scheduleView(schedule) };
    await work.store.erase(schedule, work.now());
    return { status: 204 };
  };
};

const notFound = () => new ApiProblemError('not-found', 'There is no schedule with this ID.');

const list = async ({ store }: Work, owner: string): Promise<Reply> => ({
  status: 200,
  body: { schedules: (await store.list(owner)).map(scheduleView) },
});

const create = async (work: Work, { owner, plan, body: sent }: Request): Promise<Reply> => {
  const { store, secrets: objects, newId, now } = work;
  const { name, every, check } = parseSchedule(sent, work, now());
  const id = newId();
  const { secrets } = check;
  const secretsKey = secrets && scheduleSecretsKeyOf(id);
  const createdAt = now();
  const schedule = {
    id,
    owner,
    plan,
    name,
    every,
    secretsKey,
    body: JSON.stringify(check.body),
    secretNames: JSON.stringify(namesOfSecrets(secrets ?? {})),
    createdAt: createdAt.toISOString(),
    nextAt: nextTime(every, createdAt, createdAt).toISOString(),
  };
  const putSecrets = secrets && secretsKey !== undefined ? () => objects.put(secretsKey, secrets) : undefined;
  const max = maxOf(plan);
  const created = await store.create(schedule, max, putSecrets, createdAt);
  if (!created) throw tooMany(max);
  return { status: 201, headers: { location: `/v1/schedules/${id}` }, body: scheduleView(created) };
};

const EDIT_TRIES = 3;

/** Changes a schedule. A changed check begins new pools, because its results are others. */
const edit = async (work: Work, found: ScheduleItem, sent: unknown): Promise<Reply> => {
  const { store, secrets: objects, newId, now } = work;
  let schedule: ScheduleItem | undefined = found;
  for (let tries = 0; schedule && tries < EDIT_TRIES; tries++) {
    const { secretTexts } = JSON.parse(schedule.secretNames) as NamedSecrets;
    const before = { url: JSON.parse(schedule.body).url, hasSecrets: schedule.secretsKey !== undefined, secretTexts };
    const { name, every, check } = parseScheduleEdit(sent, work, now(), before);
    const next = every && !schedule.pausedAt ? nextTime(every, new Date(schedule.createdAt), now()) : undefined;
    const secrets = check?.secrets;
    const key = secrets && scheduleSecretsKeyOf(schedule.id, newId());
    const changed = await store.edit(schedule, {
      name,
      every,
      next,
      ...(check && { body: JSON.stringify(check.body), watch: newWatch(schedule, now()) }),
      ...(check &&
        !check.keepsSecrets && {
          secretNames: JSON.stringify(namesOfSecrets(secrets ?? {})),
          secrets: key && secrets ? { key, put: () => objects.put(key, secrets) } : 'none',
        }),
    });
    if (changed) return { status: 200, body: scheduleView(changed) };
    schedule = await store.find(schedule.owner, schedule.id); // another request, or the end of a check, has changed it
  }
  if (!schedule) throw notFound();
  throw new WriteConflictError(`the schedule ${found.id}`, EDIT_TRIES);
};

/** Returns the number of schedules of an owner. It is bounded without a plan too, because one answer lists all of them. */
const maxOf = (plan: PlanName = 'large'): number => plans[plan].schedules;

const tooMany = (max: number) =>
  new ApiProblemError(
    'too-many-requests',
    `An owner can have ${max} schedules. Delete one before you create another.`,
    {
      headers: { 'retry-after': '60' },
    },
  );

const pause = async ({ store, now }: Work, schedule: ScheduleItem): Promise<Reply> =>
  shown(store, schedule, await store.pause(schedule, now()));

/** Resumes a schedule at its next time. The times of the pause are past. */
const resume = async ({ store, now }: Work, schedule: ScheduleItem): Promise<Reply> => {
  const next = nextTime(schedule.every, new Date(schedule.createdAt), now());
  return shown(store, schedule, await store.resume(schedule, next));
};

/** Answers with the changed schedule. One that needed no change, or that another request has changed, is read again. */
const shown = async (
  store: Work['store'],
  { owner, id }: ScheduleItem,
  changed: ScheduleItem | undefined,
): Promise<Reply> => {
  const schedule = changed ?? (await store.find(owner, id));
  if (!schedule) throw notFound();
  return { status: 200, body: scheduleView(schedule) };
};

const scheduleView = (schedule: ScheduleItem): Schedule => ({
  id: schedule.id,
  name: schedule.name,
  every: schedule.every,
  createdAt: schedule.createdAt,
  check: { ...JSON.parse(schedule.body), ...JSON.parse(schedule.secretNames) },
  pausedAt: schedule.pausedAt ?? null,
  nextAt: schedule.nextAt ?? null,
  last: schedule.last ?? null,
  watched: watchedRegions(schedule),
  links: { self: `/v1/schedules/${schedule.id}` },
});
