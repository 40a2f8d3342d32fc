import { Client } from '../clients/api/client.ts';
import { smoke } from '../clients/api/smoke.ts';
import type { Region } from '../shared/regions.ts';
import type { CanaryEnv } from '../shared/service/env.ts';
import { CANARY_OWNER, CANARY_PREFIX } from '../shared/service/keys.ts';
import type { Judgement } from '../shared/service/known-page.ts';
import { envOf } from './lib/environment.ts';
import { log } from './lib/log.ts';
import { once } from './lib/once.ts';
import { openDb } from './lib/store/dynamodb.ts';
import { type KeyStore, keyStore } from './lib/store/keys.ts';

/** Event of the schedule, with its time. An operator may name a region instead. */
type Event = { time?: string; region?: Region };

/**
 * On a schedule: audits the sample page in one region after the other through the public API, as a client does, and judges the
 * result. Fails if two audits in turn fail or have a value outside its band.
 */
export const handler = (event: Event = {}): Promise<void> => deps()(event);

const LIMIT_MS = 140_000; // twice this is less than the function's timeout of 300 s

const deps = once(() => {
  const env = envOf('canary');
  const keys = keyStore(openDb(env));
  return canary({ env, makeKey: () => canaryKey(keys, new Date()) });
});

const KEY_LIFE_MS = 3_600_000;

/**
 * Replaces the key of the canary. API functions may know the one before for another minute, so
 * that a canary within a minute after another one fails.
 */
export const canaryKey = (keys: Pick<KeyStore, 'replace'>, now: Date): Promise<string> =>
  keys.replace(
    CANARY_PREFIX,
    {
      owner: CANARY_OWNER,
      name: 'Made by the function canary for its own use',
      scopes: ['checks:read', 'checks:write'],
      plan: 'standard', // a visit every 15 minutes makes at most 192 audits a day
      expiresAt: new Date(now.getTime() + KEY_LIFE_MS).toISOString(),
    },
    now,
  );

type Deps = {
  env: Pick<CanaryEnv, 'API_URL' | 'REGIONS' | 'CANARY_MINUTES'>;
  makeKey: () => Promise<string>;
  audit?: (key: string, region: Region) => Promise<Judgement[]>;
  now?: () => Date;
};

export const canary =
  ({ env, makeKey, audit = auditWith(env), now = () => new Date() }: Deps) =>
  async ({ time, region = turnOf(env, time === undefined ? now() : new Date(time)) }: Event): Promise<void> => {
    const key = await makeKey();
    for (let audits = 1; !(await audit(key, region).then(passed, noResults)); audits++)
      if (audits === AUDITS) throw new Error(`The canary failed in ${region}.`); // Lambda counts it as an error
  };

/** Audits of a visit, because one bad audit may be chance. */
const AUDITS = 2;

/** Returns the region whose turn it is. The time of the schedule, not of the start, decides, so that no region is left out. */
const turnOf = ({ REGIONS: regions, CANARY_MINUTES: minutes }: Deps['env'], time: Date): Region =>
  regions[Math.floor(time.getTime() / (minutes * 60_000)) % regions.length] as Region;

const auditWith =
  ({ API_URL: url }: Deps['env']) =>
  (key: string, region: Region): Promise<Judgement[]> =>
    smoke(new Client({ url, key }), { url, regions: [region], purpose: 'canary', limitMs: LIMIT_MS });

const noResults = (error: Error): false => {
  log.error('The canary got no results.', { error });
  return false;
};

/** Logs the results. Returns true if there are some, and all are as expected. */
const passed = (judged: readonly Judgement[]): boolean => {
  for (const { region, values, faults } of judged) {
    if (faults.length === 0) log.info('The canary passed.', { region, values });
    else log.error('The canary failed.', { region, values, faults });
  }
  return judged.length > 0 && judged.every(({ faults }) => faults.length === 0);
};
