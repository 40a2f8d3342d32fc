import { lookup as dnsLookup } from 'node:dns/promises';
import type { FieldDataReason } from '../../../shared/field-data.ts';
import {
  type FieldData,
  type FieldRecord,
  type FormFactor,
  knownFieldData,
  noFieldData,
} from '../../../shared/field-data-schemas.ts';
import type { DeliveryJob } from '../../../shared/service/delivery-job.ts';
import type { EnvOf } from '../../../shared/service/functions.ts';
import { type DeliveryQueue, deliveryQueue } from '../queue/delivery-queue.ts';
import { type CheckStore, checkStore } from '../store/checks.ts';
import type { Db } from '../store/dynamodb.ts';
import { type FieldDataStore, fieldDataStore, type Kept } from '../store/field-data.ts';
import { secretStore } from '../store/secrets.ts';
import { addressesOf, type Lookup } from '../targets/dial.ts';
import { type TargetPolicy, targetPolicy } from '../targets/public-addresses.ts';
import { type CruxClient, cruxClient, type Target } from './crux.ts';
import { leadsToPublic, namesOf } from './public-page.ts';

/** Message that asks for the field data of a check. */
export type FieldDataJob = Extract<DeliveryJob, { fieldDataOf: string }>;

type Deps = {
  checks: Pick<CheckStore, 'findOfAnyOwner' | 'setFieldData'>;
  kept: FieldDataStore;
  crux: CruxClient;
  queue: Pick<DeliveryQueue, 'send'>;
  targets: TargetPolicy;
  lookup?: Lookup;
  now?: () => Date;
};
type Work = Required<Deps>;

/** Time limit for the name of the page, in milliseconds. */
const NAME_MS = 5000;
/** Tries of a message. They end about ten minutes after the create. */
const MAX_TRIES = 10;
/** Reasons that may be gone after some seconds. `pending`: another process asks about the same page. */
const retryAfter: Partial<Record<FieldDataReason, number>> = { pending: 3, quota: 60, unavailable: 60 };

/** Returns the function that an environment configures, or undefined if the service reads no field data. */
export const fieldDataFrom = (env: EnvOf<'deliver-webhook'>, db: Db) =>
  env.FIELD_DATA === 'on'
    ? fieldDataLookUp({
        checks: checkStore(db),
        kept: fieldDataStore(db),
        crux: cruxClient({ url: env.CRUX_API_URL, readKey: keyReader(env) }),
        queue: deliveryQueue(env),
        targets: targetPolicy(env),
      })
    : undefined;

/** Time for which a process keeps the stored key, in milliseconds. An operator may replace the key. */
const KEY_MS = 5 * 60_000;

/** Returns how to read the key of the API: that of this machine, or else the stored one. */
export const keyReader = (env: EnvOf<'deliver-webhook'>, stored = secretStore(env).cruxKey, now = Date.now) => {
  let kept: { at: number; key: string } | undefined;
  return async (): Promise<string | undefined> => {
    if (env.CRUX_API_KEY !== undefined) return env.CRUX_API_KEY;
    if (kept && Math.abs(now() - kept.at) < KEY_MS) return kept.key;
    const key = await stored();
    kept = key === undefined ? undefined : { at: now(), key };
    return key;
  };
};

/** Returns a function that reads the field data of a check, and stores them or the reason why there are none. */
export const fieldDataLookUp = (deps: Deps) => {
  const defaults = { lookup: (host: string) => dnsLookup(host, { all: true }), now: () => new Date() };
  const work: Work = { ...defaults, ...deps };
  return async (job: FieldDataJob): Promise<void> => {
    const found = await work.checks.findOfAnyOwner(job.fieldDataOf);
    const before = found?.item.fieldData;
    if (!found || !before || (before.reason !== 'pending' && retryAfter[before.reason ?? 'refused'] === undefined))
      return;
    const { item } = found;
    const { formFactor } = before;
    const answer = await lookUp(work, item.url, formFactor);
    const at = work.now().toISOString();
    const fieldData: FieldData =
      'found' in answer ? knownFieldData(answer.found, formFactor, at) : noFieldData(answer.reason, formFactor, at);
    if (fieldData.reason !== 'pending' && fieldData.reason !== before.reason)
      await work.checks.setFieldData(item, fieldData);
    const seconds = fieldData.reason === null ? undefined : retryAfter[fieldData.reason];
    if (seconds !== undefined && job.tries < MAX_TRIES)
      await work.queue.send({ ...job, tries: job.tries + 1 }, seconds);
  };
};

type Answer = { found: FieldRecord } | { reason: FieldDataReason };

/** Returns the record of a page, or else that of its origin. */
const lookUp = async (work: Work, pageUrl: string, formFactor: FormFactor): Promise<Answer> => {
  const signal = AbortSignal.timeout(NAME_MS);
  const addresses = (host: string) => addressesOf(host, work.lookup, signal);
  if (!(await leadsToPublic(pageUrl, work.targets, addresses, signal))) return { reason: 'not-public' };
  const { url, origin } = namesOf(pageUrl);
  const ofPage = await answerAbout(work, { url }, url, formFactor);
  return 'reason' in ofPage && ofPage.reason === 'no-data' ? answerAbout(work, { origin }, origin, formFactor) : ofPage;
};

/** Returns the record of a page or an origin: that of today, or else by new queries. */
const answerAbout = async (work: Work, target: Target, name: string, formFactor: FormFactor): Promise<Answer> => {
  const { kept, now } = work;
  const before = await kept.find(name, formFactor);
  const day = now().toISOString().slice(0, 10);
  if (before?.day === day) return answerOf(before);
  if (!(await kept.claim(name, formFactor, now()))) return { reason: 'pending' };
  let answer: Kept | undefined;
  try {
    if (!(await kept.takeQuery(now()))) return { reason: 'quota' };
    const record = await work.crux.record(target, formFactor);
    if ('reason' in record && record.reason !== 'no-data' && record.reason !== 'refused') return record;
    const history = 'found' in record ? await historyOf(work, target, formFactor) : null;
    answer = {
      day,
      record: 'found' in record ? record.found : null,
      reason: 'found' in record ? null : record.reason,
      history: history ?? before?.history ?? null,
    };
    return record;
  } finally {
    await kept.release(name, formFactor, answer);
  }
};

const answerOf = ({ record, reason }: Kept): Answer => (record ? { found: record } : { reason: reason ?? 'no-data' });

/** Returns the history of a page or an origin, or null if it can't be read now. The history of an earlier day then stays. */
const historyOf = async ({ kept, crux, now }: Work, target: Target, formFactor: FormFactor) => {
  if (!(await kept.takeQuery(now()))) return null;
  const history = await crux.history(target, formFactor);
  return 'found' in history ? history.found : null;
};
