import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type MeasuredOn, measuredOn } from '../../shared/comparison/comparable.ts';
import { locationsOf, type SeriesPoint } from '../../shared/comparison/series.ts';
import type { ComparedCheck } from '../../shared/comparison/sides.ts';
import { type Location, stepOf } from '../../shared/comparison/steps.ts';
import { compareStep, judgePage, regressedOf, type WatchedPage } from '../../shared/comparison/watch.ts';
import { noMetrics, pageMetric, pageMetrics } from '../../shared/metrics/page-metrics.ts';
import type { Metrics } from '../../shared/metrics/page-metrics-schemas.ts';
import { seededRandom } from '../simulation/random.ts';
import { anInteraction } from '../support/an-interaction.ts';
import { environment } from '../support/environment.ts';

const region = 'us-west1';
type Change = { metrics?: Partial<Metrics>; state?: string; inps?: (number | null)[] } & Partial<MeasuredOn>;
type Watched = ComparedCheck & { createdAt: string };

const checkOf = (lcps: readonly number[], change: Change = {}, inputs: Partial<ComparedCheck> = {}): Watched => {
  const { metrics, state = 'succeeded', contended = false, inps, ...others } = change;
  const samples = lcps.map((lcp) => ({
    ...noMetrics,
    accessibility: 90,
    lcp,
    ...metrics,
    cpuBusy: 0,
    contended,
  }));
  const run = {
    ...noMetrics,
    ...samples[0],
    region,
    state,
    samples,
    environment: { ...environment, ...others, contended },
    ...(inps && { interactions: [anInteraction(inps)] }),
  };
  const common = { id: randomUUID(), url: 'https://example.com/', auditVersion: '13.5.0' as const };
  return { ...common, createdAt: '2031-01-01T00:00:00.000Z', ...inputs, runs: [run] } as Watched;
};
const fast = (change?: Change, inputs?: Partial<ComparedCheck>) => checkOf([1800, 1812, 1806], change, inputs);
const slow = (change?: Change, inputs?: Partial<ComparedCheck>) => checkOf([3000, 3020, 3011], change, inputs);
const failed = () => fast({ state: 'failed' });
const times = (count: number, one: () => Watched) => Array.from({ length: count }, one);

/** Returns a check as the series of its URL has it. */
const pointOf = (check: Watched): SeriesPoint[] =>
  check.runs.flatMap(({ samples, environment, state, interactions = null }) =>
    environment && state === 'succeeded'
      ? [
          {
            ...check,
            ...measuredOn(environment),
            checkId: check.id,
            locations: locationsOf({ samples, environment, interactions }),
          },
        ]
      : [],
  );

/** Judges checks in turn. Returns the events by the place of their check, and the last state. */
const judgeAll = (all: readonly Watched[], { erased = [] as readonly string[], erasedAfter = 0 } = {}) => {
  const events: string[] = [];
  const since: string[][] = [];
  let page: WatchedPage | undefined;
  for (const [i, check] of all.entries()) {
    const known = all.slice(0, i).filter(({ id }) => i < erasedAfter || !erased.includes(id));
    const judged = judgePage(region, check, page, known.flatMap(pointOf));
    page = judged.page;
    if (!judged.event) continue;
    events.push(`${i} ${judged.event.type} ${judged.event.metrics.join()}`);
    since.push(judged.event.since);
  }
  return { events, since, page: page as WatchedPage };
};

test('two worse checks are a regression since the first of them, the third none, and good ones a recovery', () => {
  const all = [...times(3, fast), ...times(4, slow), ...times(4, fast)];
  const { events, since, page } = judgeAll(all);
  expect(events).toEqual(['4 page.regressed lcp', '8 page.recovered lcp']);
  expect(since[0]).toEqual([all[4]?.id, all[3]?.id]);
  expect(regressedOf(page)).toEqual([]);
  expect(page.series).toHaveLength(11);
});

test('an interaction that got slower is a regression, and its failed checks are none', () => {
  const search = (...inps: (number | null)[]) => fast({ inps });
  const quick = () => search(96, 104, 100);
  const sluggish = () => search(300, 312, 304);
  const broken = () => search(null, null, null);
  const { events, page } = judgeAll([...times(8, quick), broken(), ...times(2, sluggish), broken()]);
  expect(events).toEqual(['10 page.regressed interactions:search:inp']);
  expect(regressedOf(page)).toEqual(['interactions:search:inp']);
  const back = judgeAll([...times(8, quick), ...times(4, sluggish), ...times(8, quick)]);
  expect(back.events).toEqual([
    '9 page.regressed interactions:search:inp',
    '15 page.recovered interactions:search:inp',
  ]);
  const busy = () => fast({ inps: [300, 312, 304], contended: true });
  expect(judgeAll([...times(8, quick), ...times(4, busy)]).events).toEqual([]);
});

test('a page that was worse for two checks only is back after six good ones', () => {
  const { events } = judgeAll([...times(3, fast), slow(), slow(), ...times(7, fast)]);
  expect(events).toEqual(['4 page.regressed lcp', '10 page.recovered lcp']);
});

test('a page that is back by less than half of the step has not recovered', () => {
  const between = () => checkOf([2700, 2712, 2706]);
  const { events, page } = judgeAll([...times(4, fast), ...times(4, slow), ...times(8, between)]);
  expect([events, regressedOf(page)]).toEqual([['5 page.regressed lcp'], ['lcp']]);
});

test('a page that was good, worse and good again since its regression has not recovered', () => {
  const checks = [...times(3, fast), ...times(3, slow), fast(), slow(), fast()];
  expect(judgeAll(checks).events).toEqual(['4 page.regressed lcp']);
  expect(judgeAll([...checks, ...times(5, fast)]).events).toHaveLength(2);
});

test.each([
  ['one worse check', [slow(), fast(), fast()]],
  ['worse checks with good ones between', [slow(), fast(), slow(), fast(), fast()]],
  ['worse checks whose machine was busy', times(4, () => slow({ contended: true }))],
  ['two worse checks of another machine', times(2, () => slow({ host: 'ffffffffffff' }))],
  ['failed checks', times(3, failed)],
  ['checks of another version', times(3, () => slow({}, { auditVersion: '12.8.2' }))],
  ['better checks', times(4, () => checkOf([900, 910, 905]))],
])('%s make no regression', (_, checks) => {
  expect(judgeAll([...times(4, fast), ...checks]).events).toEqual([]);
});

test('a check without a judgement says why, and neither counts nor breaks the series', () => {
  const { events, page } = judgeAll([...times(3, fast), slow(), failed(), slow({ contended: true }), slow()]);
  expect([events, page.reason]).toEqual([['6 page.regressed lcp'], null]);
  const reasonOf = (check: Watched) => judgeAll([fast(), check]).page.reason;
  const reasons = [failed(), slow({ contended: true }), slow({ host: 'ffffffffffff' })].map(reasonOf);
  expect(reasons).toEqual(['failed', 'contended', 'different-machine']);
  expect(judgeAll([fast()]).page.reason).toBe('first');
});

test('one sample is enough for a score without noise, also on a machine that is always busy', () => {
  for (const change of [{}, { contended: true }]) {
    const one = (accessibility: number) => () => checkOf([1800], { ...change, metrics: { accessibility } });
    const { events } = judgeAll([...times(3, one(90)), ...times(3, one(70)), ...times(2, one(90))]);
    expect(events).toEqual(['4 page.regressed accessibility', '7 page.recovered accessibility']);
  }
});

test('an erased check leaves the series, and the next check begins a new one if none is left', () => {
  const all = [...times(4, fast), slow(), slow()];
  const ids = all.map(({ id }) => id);
  expect(judgeAll(all, { erased: ids.slice(0, 1) }).events).toEqual(['5 page.regressed lcp']);
  const none = judgeAll(all, { erased: ids.slice(0, 4) });
  expect([none.events, none.page.series]).toEqual([[], ids.slice(4)]);
});

test('the erasure of the first check after a step does not repeat the event', () => {
  const all = [...times(4, fast), ...times(4, slow), ...times(8, fast)];
  const events = ['5 page.regressed lcp', '9 page.recovered lcp'];
  expect(judgeAll(all).events).toEqual(events);
  const first = all.slice(4, 5).map(({ id }) => id);
  expect(judgeAll(all, { erased: first, erasedAfter: 6 }).events).toEqual(events);
});

test('a machine of another kind has a series of its own', () => {
  const there = { host: 'ffffffffffff' };
  const checks = [fast(), slow(there), fast(), slow(there), fast(), slow(there), fast(), slow(there)];
  const worse = () => checkOf([6000, 6020, 6011], there);
  expect(judgeAll([...checks, worse(), worse()]).events).toEqual(['9 page.regressed lcp']);
});

test('another Chromium begins a new series of the times, and the other scores go on', () => {
  const newer = { chromium: 'HeadlessChrome/156.0.1.0' };
  const worse = (change: Change = {}) => slow({ ...newer, metrics: { accessibility: 70, ...change.metrics } });
  const { events, page } = judgeAll([...times(4, fast), worse(), worse()]);
  expect([events, page.reason]).toEqual([['5 page.regressed accessibility'], null]);
  expect(judgeAll([...times(4, fast), slow(newer)]).page.reason).toBe('chromium');
  const slower = () => checkOf([6000, 6020, 6011], newer);
  expect(judgeAll([...times(4, fast), ...times(4, () => slow(newer)), slower(), slower()]).events).toEqual([
    '9 page.regressed lcp',
  ]);
});

test.each<[string, Change]>([
  ['fonts', { fonts: '00000000' }],
  ['revision', { revision: 2 }],
])('other %s begin a new series of everything', (reason, change) => {
  const others = times(3, () => slow({ ...change, metrics: { accessibility: 70 } }));
  expect(judgeAll([...times(4, fast), ...others]).events).toEqual([]);
  expect(judgeAll([...times(4, fast), ...others.slice(0, 1)]).page).toMatchObject({ reason, series: { length: 1 } });
});

/* A page with two seconds of TBT, whose checks differ by 9 %. */
const random = seededRandom(20_311_104);
const gaussian = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
const drifting = (change = 1): Location => [2000 * change * (1 + 0.09 * gaussian()), 2000];

/** Text comes before the script in seven of ten loads, and the speed of the machine moves all loads of a check. */
const painting = (): Location => {
  const speed = 1 + 0.02 * gaussian();
  const lcps = Array.from({ length: 5 }, () => speed * (random.next() < 0.7 ? 950 : 1600) * (1 + 0.01 * gaussian()));
  return locationsOf({ samples: samplesOf(lcps), environment: null }).lcp as Location;
};
const samplesOf = (lcps: readonly number[]) => lcps.map((lcp) => ({ ...noMetrics, lcp, cpuBusy: 0, contended: false }));

test('the series of a page whose task has a layout in some loads keeps the times without this chance', () => {
  const steady = { device: 'mobile', fcp: 790, lcp: 1160, tbt: 222, scripts: [] } as const;
  const samples = [133, 312, 133].map((tbt) => ({
    ...noMetrics,
    fcp: 790,
    lcp: 1160,
    tbt,
    cpuBusy: 0,
    contended: false,
    steady: { ...steady, scripts: [] },
  }));
  expect(locationsOf({ samples, environment: null }).tbt).toEqual([222, 0]);
});

/** Metrics of a page that does not change, as its hourly checks see them. */
const unchanged = {
  tbt: drifting,
  lcp: painting,
  performance: (): Location => [70 + 1.8 * gaussian(), 1],
  cls: (): Location => [0.05 * (1 + 0.02 * gaussian()), 0],
  ttfb: (): Location => [200 * (1 + 0.1 * gaussian()), 100],
} as const;
const unchangedNames = Object.keys(unchanged) as (keyof typeof unchanged)[];

test('a year of hourly checks of a page that does not change has at most one false step in all its metrics', () => {
  const steps = unchangedNames.flatMap((name) => {
    let series: Location[] = [];
    return Array.from({ length: 365 * 24 }).flatMap(() => {
      series = [...series, unchanged[name]()].slice(-60);
      const step = stepOf(pageMetric(name), series, 2000);
      if (step) series = series.slice(-step.since);
      return step ? [name] : [];
    });
  });
  expect(steps.length, steps.join()).toBeLessThanOrEqual(1);
});

const YEARS = 4;
test.each(['tbt', 'lcp'] as const)(
  'hourly checks whose noise lasts have some two false steps of %s for the worse a year',
  (name) => {
    const level = { tbt: 800, lcp: 2500 }[name];
    let [drift, worse, series]: [number, number, Location[]] = [gaussian(), 0, []];
    for (let hour = 0; hour < YEARS * 365 * 24; hour++) {
      drift = 0.9 * drift + Math.sqrt(1 - 0.9 ** 2) * gaussian(); // judged as independent checks, 126 and 336 were steps
      series = [...series, [level * (1 + 0.08 * drift), (0.01 * level) ** 2] as const].slice(-60);
      const step = stepOf(pageMetric(name), series, 800);
      if (step) [series, worse] = [series.slice(-step.since), worse + Number(step.estimate > 0)];
    }
    expect(worse / YEARS).toBeLessThanOrEqual({ tbt: 1, lcp: 2.5 }[name]);
  },
);

test('an event shows with the history of the page that a time moves by itself', () => {
  const times = (fcp: number): Change => ({ metrics: { fcp } });
  const earlier = [900, 1300, 1000, 1500, 950, 1400, 1050, 1250, 900, 1350].map((fcp) => fast(times(fcp)));
  const sides = [[slow(times(1500))], [fast(times(900))]] as const;
  const judged = (history: readonly Watched[]) =>
    compareStep(region, ...sides, { [region]: history.flatMap(pointOf) })?.metrics.fcp.regions[region];
  expect([judged([])?.verdict, judged([])?.noise?.from]).toEqual(['regressed', 'prior']);
  expect([judged(earlier)?.verdict, judged(earlier)?.noise?.from]).toEqual(['unknown', 'page']);
});

test.each([
  [1.5, 3, 0.95],
  [1.2, 24, 0.45],
])('TBT × %d is found within %i checks in at least %d of trials', (change, checks, share) => {
  const found = Array.from({ length: 1000 }, () => {
    const series = Array.from({ length: 30 }, () => drifting());
    return Array.from({ length: checks }).some(() => {
      series.push(drifting(change));
      return stepOf(pageMetrics.tbt, series, 2000 * change) !== undefined;
    });
  });
  expect(found.filter(Boolean).length / found.length).toBeGreaterThanOrEqual(share);
});

test('one worse check on the machine before does not keep a page from being judged on another one', () => {
  const there = { host: 'ffffffffffff' };
  const checks = [fast(), fast(), slow(), ...times(3, () => fast(there)), slow(there), slow(there)];
  expect(judgeAll(checks).events).toEqual(['7 page.regressed lcp']);
});
