import { expect, test } from 'vitest';
import { nameOfScript } from '../../functions/auditor/lighthouse/steady/script-name.ts';
import { workOf } from '../../functions/auditor/lighthouse/steady/work.ts';
import type { TraceEvent } from '../../functions/auditor/lighthouse/trace.ts';
import { scrubberOf } from '../../functions/auditor/scrub.ts';
import { hasOtherSpeed, workChangesOf } from '../../shared/comparison/work.ts';
import type { Sample } from '../../shared/metrics/page-metrics-schemas.ts';
import { seededRandom } from '../simulation/random.ts';
import { cpuMsOf } from '../support/cpu-time.ts';

const page = 'https://shop.example/';
const ms = (milliseconds: number) => milliseconds * 1000;
const span = (name: string, from: number, cpuMs: number, url?: string): TraceEvent => ({
  name,
  ph: 'X',
  pid: 7,
  tid: 1,
  ts: ms(100 + from),
  dur: ms(2 * cpuMs),
  tdur: ms(cpuMs),
  args: url ? { data: { url } } : {},
});

test('the work of a load is CPU time, without that of the events within an event', () => {
  const events: TraceEvent[] = [
    { name: 'TracingStartedInBrowser', ts: 1, args: { data: { frames: [{ processId: 7 }] } } },
    { name: 'thread_name', ts: 0, pid: 7, tid: 1, args: { name: 'CrRendererMain' } },
    span('RunTask', 0, 50),
    span('ParseHTML', 0, 40),
    span('EvaluateScript', 10, 30, `${page}app.0a1b2c3d.js?token=secret`),
    span('Layout', 12, 8),
    span('FunctionCall', 40, 5, page),
    span('RunTask', 200, 10),
    span('FunctionCall', 201, 4, `${page}app.0a1b2c3d.js`),
  ];
  expect(workOf(events, { documentUrl: page })).toEqual([
    { name: '/app.*.js', isScript: true, ms: 21 },
    { name: 'inline scripts', isScript: true, ms: 5 },
    { name: 'rest', isScript: false, ms: 16 },
    { name: 'parsing', isScript: false, ms: 10 },
    { name: 'layout', isScript: false, ms: 8 },
  ]);
});

test('a page with very many scripts does not hold its audit', () => {
  const events: TraceEvent[] = [
    { name: 'TracingStartedInBrowser', ts: 1, args: { data: { frames: [{ processId: 7 }] } } },
    { name: 'thread_name', ts: 0, pid: 7, tid: 1, args: { name: 'CrRendererMain' } },
    span('RunTask', 0, 50_000),
    ...Array.from({ length: 50_000 }, (_, i) => span('EvaluateScript', 2 * i, 1, `blob-${i}`)),
  ];
  // 0.3 s here, and 13 s with a list of the scripts
  expect(cpuMsOf(() => workOf(events, { documentUrl: page }))).toBeLessThan(4000);
});

test('a script is named without the secrets of the audit, the text of a data URL and what steers a terminal', () => {
  const secret = '3f2b8c1a-9d4e-4f6b-8a7c-1e2d3c4b5a69'; // parts of it look like hashes of a build
  const by = { documentUrl: page, scrub: scrubberOf({ secretTexts: { key: secret } }, page) };
  const urls = [
    `${page}${secret}.js`,
    `${page}${'a'.repeat(60)}/${secret}`,
    'data:text/javascript,go() // see https://evil.example',
    `blob:${page}${secret}`,
  ];
  expect([...urls, '\u001b[31m\u202elib'].map((url) => nameOfScript(url, by))).toEqual([
    ...['/[secret].js', `/${'a'.repeat(60)}/[secret]`, 'data: URL', 'blob: URL'],
    '\ufffd[31m\ufffdlib',
  ]);
});

const random = seededRandom(20_261_128);
const normal = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());

/** Loads of a page on machines of several speeds, whose parts differ by 4 %. */
const loadsOf = (parts: Record<string, number>, count: number, speed = 1): Pick<Sample, 'steady'>[] => {
  return Array.from({ length: count }, () => {
    const own = speed * (1 + 0.05 * normal());
    const work = Object.entries(parts).map(([name, each]) => ({
      name,
      isScript: name.startsWith('/'),
      ms: each * own * (1 + 0.04 * normal()),
    }));
    return { steady: { device: 'mobile', fcp: 0, lcp: 0, tbt: 0, scripts: [], work } };
  });
};
const shop = { '/small.js': 120, '/menu.js': 20, layout: 40, style: 30, rest: 60 };
const changesOf = (after: typeof shop, { count = 5, speed = 1 } = {}) =>
  workChangesOf({ before: loadsOf(shop, count), after: loadsOf(after, count, speed) }).map(({ script }) => script);

test('a script that works 25 % longer is named, also on a faster or a slower machine, and no other one', () => {
  const slower = { ...shop, '/small.js': 150 };
  for (const speed of [0.7, 1, 1.4]) expect(changesOf(slower, { speed })).toEqual(['/small.js']);
  const [change] = workChangesOf({ before: loadsOf(shop, 5), after: loadsOf(slower, 5) });
  expect(change).toMatchObject({ share: expect.closeTo(0.25, 1), base: expect.closeTo(120, -1) });
});

test('no script is named if all work changed alike, or if a part of the browser did', () => {
  for (const speed of [0.5, 0.8, 1.25, 2]) expect(changesOf(shop, { speed })).toEqual([]);
  expect(changesOf({ ...shop, layout: 80 })).toEqual([]);
});

test('too few loads and a page with too few other parts name none', () => {
  expect(changesOf({ ...shop, '/small.js': 240 }, { count: 1 })).toEqual([]);
  const [before, after] = [100, 200].map((each) => loadsOf({ '/only.js': each, layout: 30, rest: 40 }, 5));
  expect(workChangesOf({ before: before ?? [], after: after ?? [] })).toEqual([]);
});

test('a machine of another speed is told from a page with a slower script', () => {
  const isOther = (after: typeof shop, speed = 1) =>
    hasOtherSpeed({ before: loadsOf(shop, 5), after: loadsOf(after, 5, speed) });
  expect([0.7, 1.4].map((speed) => isOther(shop, speed))).toEqual([true, true]);
  expect([isOther(shop), isOther({ ...shop, '/small.js': 240 }), isOther({ ...shop, layout: 120 })]).toEqual([
    ...[false, false, false],
  ]);
});
