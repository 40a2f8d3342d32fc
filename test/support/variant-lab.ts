import { randomUUID } from 'node:crypto';
import { auditors } from '../../functions/auditor/parent/auditors.ts';
import { jobOf } from '../../functions/lib/queue/dispatch.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import type { Outcome } from '../../functions/lib/store/leases.ts';
import { runAudit } from '../../functions/run-audit.ts';
import type { CheckInputs } from '../../shared/check.ts';
import { SettledOptions } from '../../shared/options/audit-options-schemas.ts';
import { testChromium } from './chromium-dir.ts';
import { aCheck } from './world.ts';

/** Starts auditors that audit both variants of checks for recordings, as `run-audit` does. */
export const startVariantLab = async () => {
  const pool = auditors({ targets: { targets: 'local', ports: [] }, ...testChromium() });
  await pool.prepare();
  /** Runs the job of a check in one region. Returns its finished run. */
  const compare = async (inputs: Partial<CheckInputs>): Promise<RunItem> => {
    const check = aCheck({ regions: ['us-west1'], ...inputs });
    const stored = { owner: 'o', correlationId: 'c', createId: 'c', sends: 1, tries: 0, lostLeases: 0 };
    const run = { ...check.runs[0], checkId: check.id, options: SettledOptions.parse(check), ...stored } as RunItem;
    let finished: Outcome | undefined;
    const work = runAudit({
      secrets: { get: async () => undefined },
      store: {
        findRunOfAnyOwner: async () => run,
        assertionsOf: async () => undefined,
        closeIfFinished: async () => true,
      },
      leases: {
        claim: async () => ({ id: randomUUID(), run }),
        renew: async () => true,
        recordAttempt: async () => true,
        release: async () => undefined,
        finish: async (_, outcome) => {
          finished = outcome;
          return true;
        },
      },
      reports: { put: async () => {} },
      auditors: pool,
    });
    await work(jobOf(run), () => 3_600_000);
    if (finished?.state !== 'succeeded') throw new Error(`The run failed: ${finished?.error?.message}`);
    return { ...run, ...finished } as RunItem;
  };
  return { compare, [Symbol.asyncDispose]: () => pool.close() };
};
