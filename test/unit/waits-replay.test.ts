import { expect, test } from 'vitest';
import type { Waits } from '../../functions/auditor/cpu-waits.ts';
import { importLighthouse } from '../../functions/auditor/lighthouse/run.ts';
import { simulateLoad } from '../../functions/auditor/lighthouse/simulate.ts';
import type { TraceEvent } from '../../functions/auditor/lighthouse/trace.ts';
import { withoutWaits } from '../../functions/auditor/lighthouse/waits.ts';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { meanOf } from '../../shared/comparison/noise.ts';
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
  expect(loaded.tbt).toBeGreaterThan(1.2 * quiet.tbt);
  expect(Math.abs(corrected.tbt - quiet.tbt), `${corrected.tbt} instead of ${quiet.tbt}`).toBeLessThan(
    0.25 * quiet.tbt,
  );
  expect(Math.abs(corrected.fcp - quiet.fcp), `${corrected.fcp} instead of ${quiet.fcp}`).toBeLessThan(75);
});

test.each(majorVersions)(
  'version $version keeps the numbers of a corrected load as Lighthouse has them',
  async (row) => {
    const { busy } = readWaits(row.version);
    const measure = await measurer(row.version);
    const { uncorrected: _, ...loaded } = await measure(busy, busy.events);
    const { uncorrected, ...corrected } = await measure(
      busy,
      withoutWaits(busy.events, busy.waits, 4).events,
      busy.events,
    );
    expect(uncorrected).toMatchObject(loaded);
    expect(corrected.tbt).toBeLessThan(loaded.tbt);
  },
);

test.each(majorVersions)(
  'a block of 100 ms that the page makes itself keeps most of its time beside other programs: version $version',
  ({ version }) => {
    const { events, waits: recorded } = readWaits(version).busy;
    const waits = { ...recorded, endUs: Math.max(...recorded.others.map(([, each]) => each.at(-1)?.[0] ?? 0)) };
    const [pid = 0] = waits.pages[0] ?? [];
    const [from = 0, to = 0] = [waits.others[0]?.[1][0]?.[0], waits.endUs];
    const blocks = Array.from({ length: 100 }, (_, i) => from + ((to - from - BLOCK_US) * i) / 100);
    const lost = blocks.map((ts) => BLOCK_US - durationOf(ts, pid, { events, waits }));
    expect(meanOf(lost) / 1000).toBeLessThan(MOST_LOST_MS);
  },
);

const BLOCK_US = 100_000;
/** Most time that such a block loses on average. */
const MOST_LOST_MS = 22;

/** Returns the corrected duration of a task that begins at a time and blocks at once, among tasks that waited too. */
const durationOf = (ts: number, pid: number, { events, waits }: Pick<RecordedAudit, 'events' | 'waits'>): number => {
  const at = { pid, tid: 1, args: {} };
  const block: TraceEvent = { ...at, ph: 'X', name: 'RunTask', ts, dur: BLOCK_US, tts: 0, tdur: 0 };
  const waiting: TraceEvent = { ...block, ts: waits.endUs, dur: 1_000_000, tdur: 500_000 }; // so that waits matter
  const marks = events.filter(({ name }) => name === 'navigationStart').map((event) => ({ ...event, pid, tid: 1 }));
  const thread: TraceEvent = { ...at, ph: 'M', name: 'thread_name', ts: 0, args: { name: 'CrRendererMain' } };
  const still: Waits = { ...waits, pages: [[pid, [[0, 0]]]] };
  const corrected = withoutWaits([thread, ...marks, block, waiting], still, 4);
  return corrected.events.find((event) => event.ts === ts)?.dur ?? Number.NaN;
};

/** Returns a function that computes the metrics of a recorded audit by this version, with other events in its trace, and those of the recording. */
const measurer = async (version: AuditVersion) => {
  const { simulator } = await importLighthouse(version);
  return async ({ artifacts }: RecordedAudit, traceEvents: TraceEvent[], recorded?: TraceEvent[]) => {
    const trace = { traceEvents };
    const result = { lhr: { audits: {} }, artifacts: { ...artifacts, Trace: trace, traces: { defaultPass: trace } } };
    const order = anOrder({ auditVersion: version, simulations: [{ name: 'own', ...presets.mobile }] });
    const asRecorded = recorded && { trace, recorded: { traceEvents: recorded }, mainThread: { isCorrected: true } };
    const context = { config: undefined, isLate: () => false, recorded: asRecorded };
    const { simulations, uncorrected } = await simulateLoad(simulator, result as never, order, context);
    const { fcp, tbt, reason } = simulations?.[0] ?? {};
    if (fcp == null || tbt == null) throw new Error(`No metrics: ${reason}`);
    return { fcp, tbt, uncorrected };
  };
};
