import { expect, test } from 'vitest';
import { scriptsOf } from '../../functions/auditor/lighthouse/event-scripts.ts';
import { longestEvent } from '../../functions/auditor/lighthouse/event-timing.ts';
import type { TraceEvent } from '../../functions/auditor/lighthouse/trace.ts';
import { explainInteractions, interactionClause } from '../../shared/explanation/interactions.ts';
import { fixesOfInteractions } from '../../shared/fixes/interactions.ts';
import type { InteractionRun, InteractionScript } from '../../shared/interactions/interactions-schemas.ts';

/** Returns an event of the main thread. Times are in milliseconds since the click. */
const call = (name: string, [from, to]: [number, number], data: object, cpuMs = to - from): TraceEvent => ({
  name,
  ph: 'X',
  pid: 7,
  tid: 1,
  ts: 1e9 + from * 1000,
  dur: (to - from) * 1000,
  tdur: cpuMs * 1000,
  args: { data },
});
const app = { url: 'https://example.com/app.js', functionName: 'onSearch' };
const click: TraceEvent = {
  name: 'EventTiming',
  ph: 'b',
  pid: 7,
  tid: 1,
  ts: 1e9,
  args: {
    data: {
      type: 'click',
      interactionId: 3,
      timeStamp: 5000,
      processingStart: 5020,
      processingEnd: 5170,
      duration: 200,
    },
  },
};

test('a script has its CPU time before, in and after the handlers, without what it calls twice or what another thread ran', () => {
  const events = [
    call('EvaluateScript', [-50, 10], { url: 'https://example.com/tag.js' }, 30),
    click,
    call('FunctionCall', [20, 170], app, 120),
    call('FunctionCall', [30, 90], { url: 'https://example.com/inner.js', functionName: 'inner' }),
    call('FunctionCall', [175, 185], { ...app, functionName: '' }),
    { ...call('FunctionCall', [20, 170], { url: 'https://example.com/worker.js' }), tid: 2 },
    call('FunctionCall', [210, 400], { url: 'https://example.com/later.js' }),
  ];
  const { window = expect.fail('no event') } = longestEvent(events, undefined) ?? {};
  expect(scriptsOf(events, window)).toEqual([
    { url: app.url, function: 'onSearch', inputDelay: 0, processing: 120, presentation: 0 },
    { url: app.url, function: null, inputDelay: 0, processing: 0, presentation: 10 },
    { url: 'https://example.com/tag.js', function: null, inputDelay: 5, processing: 0, presentation: 0 },
  ]);
});

const script = (url: string, processing: number, more: Partial<InteractionScript> = {}): InteractionScript => ({
  url,
  function: 'onSearch',
  inputDelay: 0,
  processing,
  presentation: 0,
  ...more,
});
const result = (
  inp: number,
  parts: { inputDelay?: number; processing?: number; presentation?: number },
  scripts: InteractionScript[],
): InteractionRun => ({
  name: 'search',
  inp,
  tbt: 0,
  cls: 0,
  softNavigation: null,
  navigatedTo: null,
  cpuSlowdown: 1,
  reason: null,
  longestEvent: {
    type: 'click',
    selector: '#search',
    inputDelay: 0,
    processing: 0,
    presentation: 8,
    waited: 0,
    scripts,
    ...parts,
  },
  samples: [],
  spread: null,
});
const side = (interaction: InteractionRun, folder = '/') => ({
  documentUrl: `https://example.com${folder}`,
  folder,
  interactions: [interaction],
});
const verdictOf = (verdict: 'regressed' | 'unknown', estimate: string) => {
  const change = { estimate, low: '0ms', high: '0ms', confidence: 0.99, by: 'turns' as const };
  const inp = { base: null, value: null, change, noise: null, suspected: false, needs: null, verdict };
  const none = { regions: {}, verdict: 'unknown' as const };
  const metrics = { inp: { regions: { 'us-east4': inp }, verdict }, tbt: none, cls: none, lcp: none };
  return { compared: [{ name: 'search', metrics, reasons: [] }], region: 'us-east4' as const };
};
const clauseOf = (...[base, now, judged]: Parameters<typeof explainInteractions>) =>
  explainInteractions(base, now, judged).map((each) => interactionClause(each, now.documentUrl));

test('the script whose handlers take longer is named, also below the folder of a preview and with another hash', () => {
  const before = side(result(58, { processing: 50 }, [script('https://example.com/a/app.1a2b3c4d.js', 50)]), '/a/');
  const after = side(
    result(160, { processing: 152 }, [
      script('https://example.com/b/app.9f8e7d6c.js', 150, { function: 't' }),
      script('https://cdn.example.net/tag.js', 2),
    ]),
    '/b/',
  );
  const [explained] = explainInteractions(before, after, verdictOf('regressed', '102ms'));
  expect(explained).toMatchObject({
    name: 'search',
    verdict: 'regressed',
    changeMs: 102,
    event: { base: { processingMs: 50, presentationMs: 8 }, value: { processingMs: 152 } },
    scripts: [
      { function: 't', thirdParty: false, base: { processingMs: 50 }, value: { processingMs: 150 } },
      { url: 'https://cdn.example.net/tag.js', thirdParty: true, base: null, value: { processingMs: 2 } },
    ],
  });
  expect(clauseOf(before, after, verdictOf('regressed', '102ms'))).toEqual([
    'INP of search is 102 ms slower: t in /b/app.9f8e7d6c.js takes 100 ms more in the handlers of the click',
  ]);
});

test('without such a script the part of the time is named, and without a verdict there is no story', () => {
  const [before, after] = [side(result(30, {}, [])), side(result(150, { presentation: 130 }, []))];
  expect(clauseOf(before, after, verdictOf('regressed', '120ms'))).toEqual([
    'INP of search is 120 ms slower: 122 ms more between the handlers of the click and the paint',
  ]);
  const silent = side({ ...result(150, {}, []), longestEvent: null });
  expect(clauseOf(before, silent, verdictOf('regressed', '120ms'))).toEqual([
    'INP of search is 120 ms slower, and its events show no cause',
  ]);
  expect(clauseOf(before, after, verdictOf('unknown', '120ms'))).toEqual([]);
});

test('an interaction that is not good is a fix with the part that takes most and its scripts, the slowest first', () => {
  const slow = result(560, { processing: 500 }, [script('https://example.com/app.js', 480)]);
  const slower = { ...result(900, { presentation: 800 }, []), name: 'menu' };
  const good = { ...result(200, {}, []), name: 'good' };
  const fixes = fixesOfInteractions([slow, good, slower], { device: 'mobile', contended: false });
  expect(fixes.map(({ audit, title }) => [audit, title])).toEqual([
    ['interactions:menu:inp', 'INP of menu is 900 ms: its click loses 800 ms between its handlers and the paint'],
    ['interactions:search:inp', 'INP of search is 560 ms: its click loses 500 ms in its handlers'],
  ]);
  expect(fixes[1]?.items).toEqual([
    { url: 'https://example.com/app.js', selector: null, snippet: 'onSearch()', bytes: null, ms: 480 },
  ]);
  expect(fixes[0]?.items).toMatchObject([{ url: null, selector: '#search' }]);
  expect(fixesOfInteractions(null, { device: 'desktop', contended: false })).toEqual([]);
});
