import { randomUUID } from 'node:crypto';
import { asCreated, type Check, countAudits, newCheck } from '../../../shared/check.ts';
import type { Secrets } from '../../../shared/options/secrets.ts';
import { ApiProblemError } from '../../../shared/problems.ts';
import type { Region } from '../../../shared/regions.ts';
import type {
  DeliveryQueueEnv,
  FieldDataEnv,
  QueuesEnv,
  RetentionEnv,
  TargetsEnv,
} from '../../../shared/service/env.ts';
import type { PlanName } from '../../../shared/service/plans.ts';
import { isFinished } from '../../../shared/states.ts';
import { withDeadline } from '../aws-client.ts';
import { fieldDataAtCreate } from '../field-data/public-page.ts';
import { parseCheckBody } from '../http/check-body.ts';
import { type Permit, permitCreate } from '../http/create-limits.ts';
import { deriveCheckId, deriveRunIds, fingerprintOf, replyToRepeat } from '../http/idempotency.ts';
import type { Reply } from '../http/response.ts';
import { idsOf, log } from '../log.ts';
import { type AuditQueues, auditQueues } from '../queue/audit-queues.ts';
import { type DeliveryQueue, deliveryQueue } from '../queue/delivery-queue.ts';
import { dispatch } from '../queue/dispatch.ts';
import { type CheckStore, type Creation, checkStore } from '../store/checks.ts';
import { type DueStore, dueStore } from '../store/due.ts';
import type { Db } from '../store/dynamodb.ts';
import type { StoredCheck } from '../store/find-check.ts';
import { firstDueAt, type RunItem } from '../store/items.ts';
import { type RegionStore, regionStore } from '../store/regions.ts';
import { type SecretStore, secretsKeyOf } from '../store/secrets.ts';
import { type UsageStore, usageStore } from '../store/usage.ts';
import { type TargetPolicy, targetPolicy } from '../targets/public-addresses.ts';
import { cachedRegions, pausedOf } from './region-rows.ts';

/** Parts of the service that a create of a check uses. */
export type CreateDeps = {
  store: Pick<CheckStore, 'create' | 'findOrErased'>;
  due: Pick<DueStore, 'abandon' | 'postpone'>;
  secrets: Pick<SecretStore, 'put' | 'fingerprintOf'>;
  usage: Pick<UsageStore, 'take'>;
  queues: Pick<AuditQueues, 'send' | 'regions'>;
  targets: TargetPolicy;
  /** States of the regions. Without them none is paused. */
  regions?: Pick<RegionStore, 'read'>;
  /** Queue that takes messages about field data. Without it, checks have none. */
  fieldDataQueue?: Pick<DeliveryQueue, 'send'> | undefined;
  retentionDays: number;
  trendDays: number;
  newId?: () => string;
  now?: () => Date;
};

type CreateDepsEnv = TargetsEnv & QueuesEnv & RetentionEnv & DeliveryQueueEnv & FieldDataEnv;

/** Returns these parts for a function that creates checks. `db` is also for closing them. */
export const createDeps = (env: CreateDepsEnv, db: Db, secrets: SecretStore): CreateDeps => ({
  store: checkStore(db),
  secrets,
  due: dueStore(db),
  usage: usageStore(db),
  queues: auditQueues(env),
  targets: targetPolicy(env),
  regions: regionStore(db),
  fieldDataQueue: env.FIELD_DATA === 'on' ? deliveryQueue(env) : undefined,
  retentionDays: env.RETENTION_DAYS,
  trendDays: env.TREND_DAYS,
});

/** A create of a check: its sender, its body as sent, and the key by which a repeated create finds the check. */
export type Create = {
  owner: string;
  plan?: PlanName | undefined;
  body: unknown;
  key: string | undefined;
  requestId: string;
  scheduleId?: string;
};

/** Returns a function that stores a check with one run per region, and queues each run in its region. */
export const checkCreator = (deps: CreateDeps) => {
  const {
    store,
    due,
    usage,
    queues,
    targets,
    regions,
    fieldDataQueue,
    newId = randomUUID,
    now = () => new Date(),
    ...days
  } = deps;
  const readRegions = cachedRegions(async () => (await regions?.read(queues.regions)) ?? [], now);
  return async ({ owner, plan, body: sent, key, requestId, scheduleId }: Create): Promise<Reply> => {
    const { body: plain, inputs, secrets } = parseCheckBody(sent, { regions: queues.regions, targets });
    const id = key === undefined ? newId() : deriveCheckId(owner, key);
    const body = { ...plain, ...(secrets && { ofSecrets: await deps.secrets.fingerprintOf(id, secrets) }) };
    const fingerprint = fingerprintOf(body);

    const findEarlier = async () => (key === undefined ? undefined : await store.findOrErased(id, owner, now()));
    const earlier = await findEarlier();
    if (earlier) return replyToRepeat(earlier, body);
    refusePaused(pausedOf(await readRegions(), inputs.regions));

    const createId = newId();
    const wanted = { id, createId, audits: countAudits(inputs) };
    const permit = await permitCreate(usage, { owner, ...(plan && { plan }) }, wanted, now()).catch((refusal) => ({
      refusal,
    }));
    if ('refusal' in permit) {
      const meanwhile = await findEarlier(); // another create with this key may have taken the last tokens
      if (meanwhile) return replyToRepeat(meanwhile, body);
      throw permit.refusal;
    }
    const runIds = deriveRunIds(id, inputs.regions, fingerprint);
    const fieldData = fieldDataQueue && fieldDataAtCreate(inputs, targets);
    const check = newCheck(inputs, { id, runIds, now: now(), scheduleId, fieldData });
    const inDays = (count: number) => new Date(now().getTime() + count * 24 * 3600 * 1000);
    const creation = {
      owner,
      correlationId: requestId,
      fingerprint,
      createId,
      secretsKey: secrets && secretsKeyOf(id, createId),
      expiresAt: inDays(days.retentionDays),
      retentionDays: days.retentionDays,
      trendExpiresAt: inDays(days.trendDays),
      countsAsOpen: permit.countsAsOpen,
      ...(plan && inputs.samples === 'auto' && { reserved: { plan, audits: wanted.audits } }),
    };
    const stored = await storeCheck(deps, { check, creation, secrets }, permit);
    if (!('runs' in stored)) return replyToRepeat(stored.earlier, body);
    const { runs } = stored;

    const dispatched = runs.map((run) =>
      dispatch({ due, queues }, run, now()).catch((error: Error) => leaveToSweeper(due, run, error)),
    );
    const asked =
      fieldData?.reason === 'pending' &&
      fieldDataQueue?.send({ owner, fieldDataOf: id, tries: 0 }).catch((error: Error) => {
        // The check is more than its field data. It says that nobody has read them.
        log.warn('Could not send the message about field data.', { checkId: id, error });
      });
    await Promise.all([permit.settle(), asked, ...dispatched]);
    return { status: 201, headers: { location: `/v1/checks/${id}`, ...permit.headers }, body: asCreated(check) };
  };
};

/** Time limit of the write after a failed send. It fits between the deadline of a create's calls and its timeout. */
const UNSENT_MS = 1000;

/** Records that no queue has a run's job. Without this record, the sweeper first looks at the queue. */
const leaveToSweeper = async (due: Pick<DueStore, 'postpone'>, run: RunItem, error: Error): Promise<void> => {
  log.warn('Could not queue the job. The sweeper resends it.', { ...idsOf(run), error });
  const write = () => due.postpone(run, new Date(firstDueAt(run)), { sends: 0 });
  await withDeadline(UNSENT_MS, write).catch((cause: Error) =>
    log.warn('Could not record that. The sweeper looks at the queue first.', { ...idsOf(run), error: cause }),
  );
};

/** Refuses the whole check if a region is paused, because its client has asked for all of them. */
const refusePaused = (paused: readonly Region[]): void => {
  if (paused.length === 0) return;
  const names = paused.join(', ');
  const detail = `These regions are paused: ${names}. Leave them out of \`regions\`, or retry later. GET /v1/regions shows which regions are available.`;
  const errors = [{ path: 'regions', message: `Paused: ${names}.` }];
  throw new ApiProblemError('unavailable', detail, { headers: { 'retry-after': '300' }, errors });
};

/**
 * Stores the check, after its secrets. Returns its runs, or the check or mark that another request with this id has stored. Then it also ends
 * the permit: it refunds the limits unless they belong to an open check.
 */
const storeCheck = async (
  deps: Pick<CreateDeps, 'store' | 'secrets'>,
  { check, creation, secrets }: { check: Check; creation: Creation; secrets: Secrets | undefined },
  permit: Permit,
): Promise<{ runs: RunItem[] } | { earlier: StoredCheck | 'erased' }> => {
  const { store } = deps;
  const create = async () => {
    if (creation.secretsKey && secrets) await deps.secrets.put(creation.secretsKey, secrets);
    return store.create(check, creation);
  };
  const created = await create().catch((error: Error) => ({ error }));
  if (created && 'length' in created) return { runs: created };
  const found = await store.findOrErased(check.id, creation.owner, new Date(check.createdAt)); // if it throws, the check may be stored: no refund
  const isCheck = found !== undefined && found !== 'erased';
  if (isCheck && found.item.createId === creation.createId) return { runs: found.runs }; // only the response was lost
  if (isCheck && found.runs.some(({ state }) => !isFinished(state))) await permit.join(found.item.createId);
  else await permit.refund();
  if (!found && created) throw created.error;
  return { earlier: found ?? 'erased' };
};
