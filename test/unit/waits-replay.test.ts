import { expect, test } from 'vitest';
import { importLighthouse } from '../../functions/auditor/lighthouse/run.ts';
import { simulateLoad } from '../../functions/auditor/lighthouse/simulate.ts';
import type { TraceEvent } from '../../functions/auditor/lighthouse/trace.ts';
import { withoutWaits } from '../../functions/auditor/lighthouse/waits.ts';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { presets } from '../../shared/options/throttling.ts';
import { majorVersions } from '../support/major-versions.ts';
import { anOrder } from '../support/order.ts';
import { type RecordedAudit, readWaits } from '../support/recorded-waits.ts';

/*
 * Audits of a page with ten tasks of fixed work, recorded on a free machine and beside two endless loops per CPU.
 */
test.each(majorVersions)('version $version measures a page beside other programs as on a free machine', async (row) => {
  const { free, busy } = readWaits(row.version);
  const measure = await measurer(row.version);
  const eventsOf = ({ events, waits }: RecordedAudit) => withoutWaits(events, waits, 4).events;
  const quiet = await measure(free, eventsOf(free));
  const loaded = await measure(busy, busy.events);
  const corrected = await measure(busy, eventsOf(busy));
  expect(loaded.tbt).toBeGreaterThan(1.3 * quiet.tbt);
  expect(Math.abs(corrected.tbt - quiet.tbt), `${corrected.tbt} instead of ${quiet.tbt}`).toBeLessThan(0.1 * quiet.tbt);
  expect(Math.abs(corrected.fcp - quiet.fcp), `${corrected.fcp} instead of ${quiet.fcp}`).toBeLessThan(75);
});

/** Returns a function that computes the metrics of a recorded audit by this version, with other events in its trace. */
const measurer = async (version: AuditVersion) => {
  const { simulator } = await importLighthouse(version);
  return async ({ artifacts }: RecordedAudit, traceEvents: TraceEvent[]) => {
    const trace = { traceEvents };
    const result = { lhr: { audits: {} }, artifacts: { ...artifacts, Trace: trace, traces: { defaultPass: trace } } };
    const order = anOrder({ auditVersion: version, simulations: [{ name: 'own', ...presets.mobile }] });
    const context = { config: undefined, isLate: () => false };
    const { simulations } = await simulateLoad(simulator, result as never, order, context);
    const { fcp, tbt, reason } = simulations?.[0] ?? {};
    if (fcp == null || tbt == null) throw new Error(`No metrics: ${reason}`);
    return { fcp, tbt };
  };
};
