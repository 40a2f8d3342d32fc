import { envOf } from '../../lib/environment.ts';
import { targetPolicy } from '../../lib/targets/public-addresses.ts';
import { type Auditors, auditors } from './auditors.ts';

let pool: Auditors | undefined;

/** Returns the pool of all audits of this process. */
export const sharedAuditors = (): Auditors => {
  if (pool) return pool;
  const env = envOf('run-audit');
  pool = auditors({
    targets: targetPolicy(env),
    chromiumDir: env.CHROMIUM_DIR,
    chromium: env.CHROMIUM,
    extraCaFile: env.EXTRA_CA_FILE,
    auditorDir: env.AUDITOR_DIR,
    timedAtOnce: env.TIMED_AT_ONCE,
    sandbox: env.SANDBOX,
  });
  return pool;
};

export const closeSharedAuditors = async (): Promise<void> => pool?.close();
