import { writeFileSync, writeSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MeasuredInteraction } from '../../functions/auditor/interactions/messages.ts';
import { auditors } from '../../functions/auditor/parent/auditors.ts';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import type { Interaction } from '../../shared/interactions/interactions.ts';
import { slowdownOf } from '../../shared/options/throttling.ts';
import { table } from '../bench/numbers.ts';
import { auditorDir } from '../support/auditor-dir.ts';
import { setup as bundleAuditor } from '../support/bundle-auditor.ts';
import { testChromium } from '../support/chromium-dir.ts';
import { startLoops } from '../support/loops.ts';
import { anOrder } from '../support/order.ts';
import { servePages, type Vital } from '../support/pages.ts';
import { inpOf, observedInp, routeLcpOf, workOf } from '../support/vitals.ts';

/** An interaction whose time is known, in milliseconds. */
type Known = Pick<Interaction, 'steps'> & {
  /** Element of the events. Undefined if a handler removes it. */
  target: string | undefined;
  /** Time that its handler waits by the clock. The page itself measures a handler that works. */
  clock?: number;
  /** Time from the click to the paint of the new route. Null if only web-vitals knows it. */
  paints?: number | null;
};

const clicked = (id: string, known: Partial<Known> = {}): Known => ({
  steps: [{ click: `#${id}` }],
  target: `#${id}`,
  ...known,
});
/** Audits of the page, each with the interactions that it performs. */
const audits: Record<string, Known>[] = [
  {
    'clock 50': clicked('b50', { clock: 50 }),
    'clock 200': clicked('b200', { clock: 200 }),
    'clock 600': clicked('b600', { clock: 600 }),
    shadow: { steps: [{ click: 'pierce/#shadow' }], target: '#host', clock: 50 },
    frame: clicked('inner', { clock: 100 }),
  },
  {
    'work 50': clicked('w50'),
    'work 200': clicked('w200'),
    'work 600': clicked('w600'),
    key: { steps: [{ type: '#q', text: 'a' }], target: '#q', clock: 100 },
    moving: clicked('moving', { clock: 50, target: undefined }),
  },
  {
    instant: clicked('instant', { paints: null }),
    route: clicked('route', { paints: 400 }),
    covered: clicked('covered'),
    away: clicked('away'),
  },
];
const LIMIT_MS = 1_800_000;

type Row = {
  version: string;
  loops: number;
  load: number;
  slowdown: number;
  name: string;
  metric: 'INP' | 'LCP';
  /** Times in milliseconds. Null if unknown. */
  known: number | null;
  corrected: number | null;
  observed: number | null;
  webVitals: number | null;
  reason: string | null;
};

const rows: Row[] = [];
beforeAll(bundleAuditor);
afterAll(() => {
  const text = report(rows);
  writeSync(2, `\n${text}`);
  writeFileSync('test/recorded/interactions.md', text);
});

test.each([
  ...[0, availableParallelism()].map((loops) => ({ version: '13.5.0' as const, loops, all: audits })),
  ...(['12.8.2', '11.7.1', '10.4.0'] as const).map((version) => ({ version, loops: 0, all: audits.slice(0, 1) })),
])('records known interactions by version $version beside $loops loops', { timeout: LIMIT_MS }, async (part) => {
  await using _ = startLoops(part.loops);
  const found = await measureAll(part.version, part.loops, part.all);
  rows.push(...found);
  expect(found.filter(({ webVitals }) => webVitals !== null).length).toBeGreaterThan(0);
});

const measureAll = async (version: AuditVersion, loops: number, all: typeof audits): Promise<Row[]> => {
  await using pages = await servePages();
  const pool = auditors({
    targets: { targets: 'local', ports: [] },
    ...testChromium(),
    auditorDir: await auditorDir(),
  });
  const found: Row[] = [];
  for (const throttling of ['none', undefined] as const) {
    for (const asked of all) {
      const known = Object.values(asked);
      const order = anOrder({
        url: pages.url('/interactions'),
        auditVersion: version,
        categories: ['performance'],
        skipOptionalParts: true,
        ...(throttling && { throttling }),
        interactions: known.map(({ steps }, i) => ({ name: `${i}`, steps })),
      });
      pages.vitals.length = 0;
      const result = await pool.audit(order, new AbortController().signal);
      if (result.state !== 'succeeded') throw new Error(JSON.stringify(result));
      const common = { version, loops, load: loadavg()[0] as number, slowdown: slowdownOf(order.options) ?? 1 };
      for (const [i, each] of (result.interactions ?? []).entries()) {
        const name = Object.keys(asked)[i] as string;
        found.push(...rowsOf(each, known[i] as Known, pages.vitals).map((row) => ({ ...common, name, ...row })));
      }
    }
  }
  await pool.close();
  return found;
};

const rowsOf = (result: MeasuredInteraction, { target, clock, paints }: Known, vitals: readonly Vital[]) => {
  const { inp, softNavigation, reason } = result;
  const event = {
    metric: 'INP' as const,
    reason,
    known: clock ?? workOf(vitals, target ?? '') ?? null,
    corrected: inp,
    observed: observedInp(result),
    webVitals: inpOf(vitals, target) ?? null,
  };
  if (paints === undefined) return [event];
  const lcp = softNavigation?.lcp ?? null;
  const route = {
    metric: 'LCP' as const,
    reason,
    known: paints,
    corrected: lcp,
    observed: lcp,
    webVitals: routeLcpOf(vitals, softNavigation?.url ?? '') ?? null,
  };
  return [event, route];
};

const columns = ['interaction', 'version', 'loops', 'CPU', 'metric', 'known', 'corrected', 'off', 'observed'];

const report = (all: readonly Row[]): string => {
  const lines = all.map((row) => [
    ...[row.name, row.version, `${row.loops}`, `1/${row.slowdown}`, row.metric, ms(row.known)],
    ...[ms(row.corrected), ms(offBy(row.corrected, row.known)), ms(row.observed)],
    ...[ms(row.webVitals), ms(offBy(row.observed, row.webVitals)), row.load.toFixed(1), row.reason?.slice(0, 40) ?? ''],
  ]);
  const inps = all.filter(({ metric }) => metric === 'INP');
  const quiet = inps.filter(({ loops }) => loops === 0);
  const beside = inps.filter(({ loops }) => loops > 0);
  const lcps = all.filter(({ metric }) => metric === 'LCP');
  const toKnown = ({ corrected, known }: Row) => offBy(corrected, known);
  const toWebVitals = ({ observed, webVitals }: Row) => offBy(observed, webVitals);
  return [
    table([...columns, 'web-vitals', 'off', 'load', 'reason'], lines),
    ...[1, 4].flatMap((factor) => [
      within(`INP of a known handler without loops, CPU 1/${factor}`, quiet.filter(on(factor)), toKnown, 24),
      within(`INP of a known handler beside loops, CPU 1/${factor}`, beside.filter(on(factor)), toKnown, 40),
    ]),
    within('LCP of a known route', lcps, toKnown, 40),
    within('INP of web-vitals', inps, toWebVitals, 8),
    within('LCP of web-vitals', lcps, toWebVitals, 40),
    '',
  ].join('\n\n');
};

const on =
  (factor: number) =>
  ({ slowdown }: Row): boolean =>
    slowdown === factor;
const ms = (value: number | null): string => (value === null ? '–' : value.toFixed(0));
const offBy = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a - b);

/** Returns how many differences are within a limit, in milliseconds, and how far the others miss it. */
const within = (of: string, some: readonly Row[], difference: (row: Row) => number | null, limit: number): string => {
  const off = some.map(difference).filter((value) => value !== null);
  const missed = off.filter((value) => Math.abs(value) > limit).map(ms);
  return `${of}, within ${limit} ms: ${off.length - missed.length} of ${off.length}. Others differ by: ${missed.join(', ') || 'none'}.`;
};
