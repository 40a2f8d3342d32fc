import { randomUUID } from 'node:crypto';
import { asCreated, type Check, countAudits, newCheck } from '../shared/check.ts';
import { ApiProblemError } from '../shared/problems.ts';
import type { Region } from '../shared/regions.ts';
import { isFinished } from '../shared/run.ts';
import type { Secrets } from '../shared/secrets.ts';
import { parseCheckBody } from './lib/http/check-body.ts';
import { type Permit, permitCreate } from './lib/http/create-limits.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import {
  deriveCheckId,
  deriveRunIds,
  fingerprintOf,
  parseIdempotencyKey,
  replyToRepeat,
} from './lib/http/idempotency.ts';
import type { Reply } from './lib/http/response.ts';
import { idsOf, log } from './lib/log.ts';
import { type TargetPolicy, targetPolicy } from './lib/public-addresses.ts';
import { type AuditQueues, auditQueues } from './lib/queue/audit-queues.ts';
import { closingDb } from './lib/queue/closing-db.ts';
import { dispatch } from './lib/queue/dispatch.ts';
import { cachedRegions, pausedOf } from './lib/region-rows.ts';
import { type CheckStore, type Creation, checkStore } from './lib/store/checks.ts';
import { type DueStore, dueStore } from './lib/store/due.ts';
import type { StoredCheck } from './lib/store/find-check.ts';
import type { RunItem } from './lib/store/items.ts';
import { type RegionStore, regionStore } from './lib/store/regions.ts';
import { type SecretStore, secretStore, secretsKeyOf } from './lib/store/secrets.ts';
import { type UsageStore, usageStore } from './lib/store/usage.ts';

/** POST /v1/checks: stores a check with one run per region, and queues each run in its region. */
export const handler = http('create-check', (env) => {
  const { RETENTION_DAYS: retentionDays, TREND_DAYS: trendDays } = env;
  const secrets = secretStore(env);
  const db = closingDb(env, secrets);
  return createCheck({
    store: checkStore(db),
    secrets,
    due: dueStore(db),
    usage: usageStore(db),
    queues: auditQueues(env),
    targets: targetPolicy(env),
    regions: regionStore(db),
    retentionDays,
    trendDays,
  });
});

type Deps = {
  store: Pick<CheckStore, 'create' | 'findOrErased' | 'markSent'>;
  due: Pick<DueStore, 'abandon'>;
  secrets: Pick<SecretStore, 'put' | 'fingerprintOf'>;
  usage: Pick<UsageStore, 'take'>;
  queues: Pick<AuditQueues, 'send' | 'regions'>;
  targets: TargetPolicy;
  /** States of the regions. Without them none is paused. */
  regions?: Pick<RegionStore, 'read'>;
  retentionDays: number;
  trendDays: number;
  newId?: () => string;
  now?: () => Date;
};

export const createCheck = (deps: Deps) => {
  const { store, due, usage, queues, targets, regions, newId = randomUUID, now = () => new Date(), ...days } = deps;
  const readRegions = cachedRegions(async () => (await regions?.read(queues.regions)) ?? [], now);
  return async ({ owner, plan, body: sent, headers, requestId }: Request): Promise<Reply> => {
    const { body: plain, inputs, secrets } = parseCheckBody(sent, { regions: queues.regions, targets });
    const key = parseIdempotencyKey(headers);
    const id = key === undefined ? newId() : deriveCheckId(owner, key);
    const body = { ...plain, ...(secrets && { ofSecrets: await deps.secrets.fingerprintOf(id, secrets) }) };
    const fingerprint = fingerprintOf(body);

    const findEarlier = async () => (key === undefined ? undefined : await store.findOrErased(id, owner, now()));
    const earlier = await findEarlier();
    if (earlier) return replyToRepeat(earlier, body);
    refusePaused(pausedOf(await readRegions(), inputs.regions));

    const createId = newId();
    const wanted = { id, createId, audits: countAudits(inputs) };
    const permit = await permitCreate(usage, { owner, plan }, wanted, now()).catch((refusal) => ({ refusal }));
    if ('refusal' in permit) {
      const meanwhile = await findEarlier(); // another create with this key may have taken the last tokens
      if (meanwhile) return replyToRepeat(meanwhile, body);
      throw permit.refusal;
    }
    const runIds = deriveRunIds(id, inputs.regions, fingerprint);
    const check = newCheck(inputs, { id, runIds, now: now() });
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
    };
    const stored = await storeCheck(deps, { check, creation, secrets }, permit);
    if (!('runs' in stored)) return replyToRepeat(stored.earlier, body);
    const { runs } = stored;

    const dispatched = runs.map((run) =>
      dispatch({ store, due, queues }, run, now()).catch((error: Error) =>
        log.warn('Could not queue the job. The sweeper resends it.', { ...idsOf(run), error }),
      ),
    );
    await Promise.all([permit.settle(), ...dispatched]);
    return { status: 201, headers: { location: `/v1/checks/${id}`, ...permit.headers }, body: asCreated(check) };
  };
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
  deps: Pick<Deps, 'store' | 'secrets'>,
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
