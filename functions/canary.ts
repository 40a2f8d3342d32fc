import { Client } from '../clients/api/client.ts';
import { smoke } from '../clients/api/smoke.ts';
import type { CanaryEnv } from '../shared/service/env.ts';
import { CANARY_PREFIX } from '../shared/service/keys.ts';
import type { Judgement } from '../shared/service/known-page.ts';
import { envOf } from './lib/environment.ts';
import { emit, log } from './lib/log.ts';
import { once } from './lib/once.ts';
import { openDb } from './lib/store/dynamodb.ts';
import { type KeyStore, keyStore } from './lib/store/keys.ts';

/** On a schedule: audits the sample page in each region through the public API, as a client does, and judges the results. */
export const handler = (): Promise<void> => deps()();

const LIMIT_MS = 240_000; // the function's timeout is 300 s

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
      owner: 'canary',
      name: 'Made by the function canary for its own use',
      scopes: ['checks:read', 'checks:write'],
      plan: 'standard', // six regions every 15 minutes are 576 audits a day
      expiresAt: new Date(now.getTime() + KEY_LIFE_MS).toISOString(),
    },
    now,
  );

type Deps = {
  env: Pick<CanaryEnv, 'API_URL' | 'REGIONS'>;
  makeKey: () => Promise<string>;
  audit?: (key: string) => Promise<Judgement[]>;
};

export const canary =
  ({ env, makeKey, audit = auditWith(env) }: Deps) =>
  async (): Promise<void> => {
    const failed = await makeKey()
      .then(audit)
      .then(logged, (error: Error) => {
        log.error('The canary got no results.', { error });
        return env.REGIONS.length;
      });
    emit('CanaryFailed', failed, {});
  };

const auditWith =
  ({ API_URL: url, REGIONS: regions }: Deps['env']) =>
  (key: string): Promise<Judgement[]> =>
    smoke(new Client({ url, key }), { url, regions, purpose: 'canary', limitMs: LIMIT_MS });

/** Logs the result of each region. Returns the number of regions that failed. */
const logged = (judged: readonly Judgement[]): number => {
  for (const { region, values, faults } of judged) {
    if (faults.length === 0) log.info('The canary passed.', { region, values });
    else log.error('The canary failed.', { region, values, faults });
  }
  return judged.filter(({ faults }) => faults.length > 0).length;
};
