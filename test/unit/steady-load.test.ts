import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { importLighthouse } from '../../functions/auditor/lighthouse/run.ts';
import { simulateLoad } from '../../functions/auditor/lighthouse/simulate.ts';
import { mainTasksOf } from '../../functions/auditor/lighthouse/steady/split-layouts.ts';
import { steadyLoadOf } from '../../functions/auditor/lighthouse/steady/steady-load.ts';
import type { TraceEvent } from '../../functions/auditor/lighthouse/trace.ts';
import { withoutWaits } from '../../functions/auditor/lighthouse/waits.ts';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { ordersOf, steadySides } from '../../shared/comparison/steady.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import type { SteadyLoad } from '../../shared/metrics/steady-load.ts';
import { cpuMsOf } from '../support/cpu-time.ts';
import { majorVersions } from '../support/major-versions.ts';
import { anOrder } from '../support/order.ts';
import { type RecordedAudit, readWaits } from '../support/recorded-waits.ts';

/**
 * Loads of three pages. One has a layout in the task of a script or not. One has a paint before or after a script. One evaluates
 * its modules before or after the first paint.
 */
type Name = 'small12-half' | 'small12-whole' | 'script-before' | 'script-after' | 'modules-before' | 'modules-after';
const newest = '13.5.0';

/** Simulates a recorded load by a release, as it was recorded and steady. `change` changes its trace before. */
const simulated = async (name: Name, version: AuditVersion, change = (events: TraceEvent[]) => events) => {
  const packed = readFileSync(`test/recorded/steady/${name}.json.gz`);
  const { events: recorded, waits, artifacts } = JSON.parse(gunzipSync(packed).toString()) as RecordedAudit;
  const events = change(recorded);
  const { events: traceEvents, ...mainThread } = withoutWaits(events, waits, 4);
  const trace = { traceEvents };
  const passes = { traces: { defaultPass: trace }, devtoolsLogs: { defaultPass: artifacts.DevtoolsLog } };
  const { finalDisplayedUrl } = artifacts.URL as { finalDisplayedUrl: string };
  const older = version === newest ? {} : readWaits(version).free.artifacts; // named as this version needs them
  const all = {
    ...older,
    ...artifacts,
    Trace: trace,
    ...passes,
    URL: { ...(artifacts.URL as object), finalUrl: finalDisplayedUrl },
  };
  const result = { lhr: { audits: {} }, artifacts: all } as never;
  const { simulator } = await importLighthouse(version);
  const { steady, uncorrected } = await simulateLoad(simulator, result, anOrder({ auditVersion: version }), {
    config: undefined,
    isLate: () => false,
    recorded: { trace, recorded: { traceEvents: events }, mainThread },
  });
  if (!steady || !uncorrected) throw new Error(`${name} could not be simulated by ${version}.`);
  return { steady, own: uncorrected as Record<'fcp' | 'lcp' | 'tbt', number> };
};
const load = async (name: Name) => (await simulated(name, newest)).steady;

const samplesOf = (loads: readonly SteadyLoad[]) =>
  loads.map((steady) => ({ ...noMetrics, ...steady, cpuBusy: 0, contended: false, steady }));
const lcpsOf = (before: readonly SteadyLoad[], after: readonly SteadyLoad[]) => {
  const sides = steadySides({ before: [samplesOf(before)], after: [samplesOf(after)] });
  return sides && [sides.before, sides.after].map((side) => side.flat().map(({ lcp }) => lcp));
};

/** Adds a layout of a microsecond to the longest task. */
const withLayout = (events: TraceEvent[]): TraceEvent[] => {
  const [longest] = mainTasksOf(events).toSorted((a, b) => b.task.dur - a.task.dur);
  if (!longest) throw new Error('The trace has no task.');
  const { task } = longest;
  return [...events, { ...task, name: 'Layout', ts: task.ts + task.dur - 10, dur: 1, tdur: 1, args: {} }];
};

test.each(majorVersions)(
  '$version simulates a task with a layout of a microsecond as half of it, and its steady values do not',
  async ({ version }) => {
    const [whole, half] = [
      await simulated('small12-whole', version),
      await simulated('small12-whole', version, withLayout),
    ];
    expect(half.own.tbt).toBeLessThan(0.6 * whole.own.tbt);
    expect(Math.abs(half.steady.tbt - whole.steady.tbt)).toBeLessThan(10);
    expect(Math.abs(half.steady.lcp - whole.steady.lcp)).toBeLessThan(10);
  },
);

/** Moves the largest paint right after the first script that began later. */
const withLaterPaint = (events: TraceEvent[]): TraceEvent[] => {
  const isPaint = ({ name }: TraceEvent) => name === 'largestContentfulPaint::Candidate';
  const paintTs = Math.max(...events.filter(isPaint).map(({ ts }) => ts));
  const scripts = events.filter(({ name, ts }) => name === 'EvaluateScript' && ts > paintTs).map(({ ts }) => ts);
  return events.map((event) =>
    isPaint(event) && event.ts === paintTs ? { ...event, ts: Math.min(...scripts) + 1 } : event,
  );
};

test.each(majorVersions)(
  '$version gives a paint that comes after a script the time of the script, and sides with both have one order',
  async ({ version }) => {
    const [before, after] = [
      await simulated('script-before', version),
      await simulated('script-before', version, withLaterPaint),
    ];
    expect(after.own.lcp - before.own.lcp).toBeGreaterThan(400);
    const [lcps = [], others = []] = lcpsOf([before.steady, after.steady], [before.steady]) ?? [];
    expect(new Set([...lcps, ...others]).size).toBe(1);
  },
);

test.each(majorVersions)(
  '$version gives modules that ran before the first paint no part in it, if they ran after it in another load',
  async ({ version }) => {
    const [before, after] = [await simulated('modules-before', version), await simulated('modules-after', version)];
    expect(before.own.fcp - after.own.fcp).toBeGreaterThan(1500);
    const sides = steadySides({ before: [samplesOf([before.steady])], after: [samplesOf([after.steady])] });
    const [early, late] = [sides?.before, sides?.after].map((side) => side?.flat()[0]?.fcp ?? 0);
    expect(Math.abs((early ?? 0) - (late ?? 0))).toBeLessThan(40);
  },
);

test('a script blocks for as long with a layout in its task as without', async () => {
  const [half, whole] = [await load('small12-half'), await load('small12-whole')];
  expect(Math.abs(half.tbt - whole.tbt)).toBeLessThan(10); // 86 and 220 by the simulation alone
  expect(Math.abs(half.lcp - whole.lcp)).toBeLessThan(10); // 1,078 and 1,215
});

test('a paint counts as after each script that it followed in any load', async () => {
  const [before, after] = [await load('script-before'), await load('script-after')];
  expect([before.lcp, after.lcp].map((ms) => Math.round(ms / 100))).toEqual([10, 16]);
  const mixed = lcpsOf([before, after, before], [after, before]);
  expect(mixed?.flat().map((ms) => Math.round((ms ?? 0) / 100))).toEqual([16, 16, 16, 16, 16]);
  expect(lcpsOf([before, before], [before])).toEqual([[before.lcp, before.lcp], [before.lcp]]);
});

test('a paint that followed a script in some loads counts as right after the script, without the work between them', () => {
  const times = { device: 'mobile', fcp: 950, tbt: 3500 } as const;
  const early = { ...times, lcp: 1600, scripts: [{ name: '/a.js', began: 'later', moved: { ...times, lcp: 2757 } }] };
  const late = { ...times, lcp: 3613, scripts: [{ name: '/a.js', began: 'beforeLcp', lcpAt: 2760 }] };
  const loads = [early, late] as SteadyLoad[];
  expect(lcpsOf(loads, loads)).toEqual([
    [2757, 2760],
    [2757, 2760],
  ]);
  expect(lcpsOf([late as SteadyLoad], [late as SteadyLoad])).toEqual([[3613], [3613]]);
});

test('a paint that comes after a script in all loads of one side only is a change, if enough loads show it', async () => {
  const [before, after] = [await load('script-before'), await load('script-after')];
  const five = [1, 2, 3, 4, 5];
  const all = five.map(() => before);
  expect(
    lcpsOf(
      all,
      five.map(() => after),
    ),
  ).toEqual([all.map(({ lcp }) => lcp), five.map(() => after.lcp)]);
  const few = steadySides({ before: [samplesOf([before, before])], after: [samplesOf([after, after])] });
  expect(few?.mayDiffer).toBe(true);
});

test('a comparison tells how often the paint came after the script', async () => {
  const [before, after] = [await load('script-before'), await load('script-after')];
  const orders = ordersOf({ before: [samplesOf([before, after, before])], after: [samplesOf([after, after])] });
  expect(orders).toContainEqual({
    script: expect.stringMatching(/\/script\/katex\.min\.js$/),
    paint: 'lcp',
    base: { after: 1, loads: 3 },
    value: { after: 2, loads: 2 },
  });
  expect(ordersOf({ before: [samplesOf([before])], after: [samplesOf([before])] })).toEqual([]);
});

test('a page that names its scripts anew in each load does not hold the service that compares its checks', () => {
  const times = { fcp: 1000, lcp: 2000, tbt: 100 };
  const side = Array.from({ length: 150 }, () => {
    const names = Array.from({ length: 36 }, () => `/${crypto.randomUUID()}.js`);
    const scripts = names.map((name) => ({ name, began: 'beforeFcp' as const, moved: times }));
    return { device: 'mobile' as const, ...times, scripts };
  });
  const sides = { before: [samplesOf(side)], after: [samplesOf(side)] };
  expect(cpuMsOf(() => [steadySides(sides), ordersOf(sides)])).toBeLessThan(500); // 25 ms here, with lists of names 2 s
});

test('a sample without steady values leaves both sides without', async () => {
  const before = await load('script-before');
  const without = { ...noMetrics, cpuBusy: 0, contended: false };
  expect(steadySides({ before: [samplesOf([before])], after: [[without]] })).toBeUndefined();
});

test('a page with very many scripts and long names has small steady values, because 30 samples of them are in one item', async () => {
  const at = (name: string, ts: number, more: Partial<TraceEvent>): TraceEvent => ({
    name,
    ts,
    ph: 'X',
    pid: 7,
    tid: 1,
    args: {},
    ...more,
  });
  const script = (i: number): TraceEvent[] => {
    const data = { url: `https://shop.example/${'a'.repeat(3000)}/${i}.js` };
    const ts = 1000 + 20_000 * i;
    return [
      at('RunTask', ts, { dur: 9000, tdur: 9000 }),
      at('EvaluateScript', ts + 10, { dur: 8000, tdur: 8000, args: { data } }),
    ];
  };
  const paint = { navigationId: 'a', isOutermostMainFrame: true };
  const events = [
    at('TracingStartedInBrowser', 1, { args: { data: { frames: [{ processId: 7 }] } } }),
    at('thread_name', 1, { args: { name: 'CrRendererMain' } }),
    ...Array.from({ length: 3000 }, (_, i) => script(i)).flat(),
    at('firstContentfulPaint', 20_000_500, { ph: 'R', args: { data: paint } }),
    at('largestContentfulPaint::Candidate', 40_000_500, { ph: 'R', args: { data: paint } }),
  ];
  const times = { fcp: 1234.5, lcp: 2345.6, tbt: 345.6 };
  const page = { documentUrl: 'https://shop.example/', device: 'mobile' as const };
  const steady = await steadyLoadOf(events, page, async () => times);
  expect(steady?.scripts.length).toBe(36);
  expect(JSON.stringify(steady).length).toBeLessThan(7000);
});
