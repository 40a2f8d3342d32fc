import { expect, test } from 'vitest';
import { auditors } from '../../../functions/auditor/parent/auditors.ts';
import type { AuditEvent } from '../../../functions/auditor/stop-rules.ts';
import { jobOf } from '../../../functions/lib/queue/dispatch.ts';
import type { RunItem } from '../../../functions/lib/store/items.ts';
import { runAudit } from '../../../functions/run-audit.ts';
import { auditorDir } from '../../support/auditor-dir.ts';
import { testChromium } from '../../support/chromium-dir.ts';
import { holdLoop } from '../../support/hold-loop.ts';
import { servePages } from '../../support/pages.ts';
import { aCheck, startWorld } from '../../support/world.ts';

/** Time after the start of the timed part, and the work that then keeps the page's proxy from passing anything on, in milliseconds. */
const [HOLD_AT_MS, HOLD_MS] = [300, 150];

test('a sample whose page waited for other work of the service is taken again', async () => {
  await using world = await startWorld();
  await using pages = await servePages();
  const lab = auditors({ targets: { targets: 'local', ports: [] }, ...testChromium(), auditorDir: await auditorDir() });
  await lab.prepare();
  let isHeld = false;
  const holdOnce = ({ type }: AuditEvent): void => {
    if (type !== 'cpu-acquired' || isHeld) return;
    isHeld = true;
    setTimeout(holdLoop, HOLD_AT_MS, HOLD_MS);
  };
  const warnings: string[][] = [];
  const audit: typeof lab.audit = async (order, signal, settings) => {
    const onEvent: typeof holdOnce = (event) => {
      settings?.onEvent?.(event, 0);
      holdOnce(event);
    };
    const result = await lab.audit(order, signal, { ...settings, onEvent });
    warnings.push(result.warnings);
    return result;
  };
  try {
    const [run] = (await world.create(aCheck({ url: pages.url('/perfect'), regions: ['us-west1'] }))) as [RunItem];
    await runAudit({ ...world, auditors: { audit } })(jobOf(run), () => 600_000);
    const { attempts, state } = await world.runOf(run.checkId);
    expect(state).toBe('succeeded');
    expect([attempts.length, attempts[0]?.contended]).toEqual([2, true]);
    expect(warnings[0]).toContainEqual(expect.stringContaining('The service itself was busy for'));
  } finally {
    await lab.close();
  }
});
