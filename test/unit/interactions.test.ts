import { expect, test } from 'vitest';
import { type Entry, softNavigationOf } from '../../functions/auditor/interactions/entries.ts';
import type { MeasuredInteraction } from '../../functions/auditor/interactions/messages.ts';
import { interactionResults } from '../../functions/auditor/interactions/results.ts';
import { longestEvent } from '../../functions/auditor/lighthouse/event-timing.ts';
import { type Audited, emptyMainFrame } from '../../functions/auditor/messages.ts';
import { type AuditEvent, decide, initialState, limitsOn } from '../../functions/auditor/stop-rules.ts';
import { msOf } from '../../shared/interactions/event-parts.ts';
import { Interactions, interactionView } from '../../shared/interactions/interactions-schemas.ts';

const measured = (values: Partial<MeasuredInteraction>): MeasuredInteraction => ({
  name: 'search',
  inp: null,
  tbt: null,
  cls: null,
  lcp: null,
  longestEvent: null,
  softNavigation: null,
  navigatedTo: null,
  cpuSlowdown: 4,
  reason: null,
  ...values,
});
const timed = (interactionId: number, type: string, [start, from, to, end]: [number, number, number, number]) => ({
  name: 'EventTiming',
  ph: 'b',
  pid: 7,
  tid: 7,
  ts: 1e9 + start * 1000,
  args: {
    data: { type, interactionId, timeStamp: start, processingStart: from, processingEnd: to, duration: end - start },
  },
});

test('a create accepts each step, and refuses an unknown one, code, an unknown key and a sixth interaction', () => {
  const steps = [
    { click: 'text/Search' },
    { type: '#q', text: 'shoes' },
    { press: 'Shift+Tab' },
    { scroll: 600 },
    { scroll: '#end' },
    { hover: 'aria/Menu' },
    { select: 'select', values: ['a'] },
    { waitFor: 'pierce/#in-shadow' },
  ];
  const accepts = (value: unknown) => Interactions.safeParse(value).success;
  expect(accepts([{ name: 'search', steps }])).toBe(true);
  for (const step of [{ evaluate: '1' }, { click: '' }, { press: 'Any' }, { click: '#a', hover: '#b' }, { type: '#q' }])
    expect(accepts([{ name: 'search', steps: [step] }])).toBe(false);
  expect(accepts(Array.from({ length: 6 }, (_, i) => ({ name: `${i}`, steps })))).toBe(false);
  expect(accepts([{ name: 'search', steps: [...steps, ...steps] }])).toBe(false);
});

test('the longest interaction counts, from its first event to the paint, and the longest handlers name it', () => {
  const events = [
    timed(1, 'pointerdown', [96, 101, 102, 350]),
    timed(1, 'click', [100, 110, 310, 350]),
    timed(2, 'keydown', [500, 501, 520, 540]),
    timed(0, 'mousemove', [600, 601, 900, 950]),
  ];
  expect(longestEvent(events, undefined)?.event).toEqual({
    type: 'click',
    timeStamp: 100,
    inputDelay: 5,
    processing: 209,
    presentation: 40,
    waited: 0,
  });
  expect(longestEvent([], undefined)).toBeUndefined();
});

test('waits of the main thread for a CPU are no part of an interaction, and are spread evenly between readings', () => {
  const waits = {
    pages: [
      [
        7,
        [
          [1e9 + 150_000, 0],
          [1e9 + 250_000, 60_000],
          [1e9 + 450_000, 100_000],
        ],
      ],
    ],
    others: [],
    endUs: 2e9,
  };
  const longest = longestEvent([timed(1, 'click', [100, 110, 310, 350])], waits as never)?.event;
  expect(longest && msOf(longest)).toBeCloseTo(170);
  expect(longest?.processing).toBeCloseTo(128);
  expect(longest?.waited).toBeCloseTo(80);
});

test('a route change has its largest paint and its layout shifts, and none without an entry', () => {
  const entry = (entryType: string, startTime: number, more: Partial<Entry> = {}): Entry => ({
    entryType,
    startTime,
    name: '',
    selector: null,
    ...more,
  });
  const route = entry('soft-navigation', 1000, { name: 'https://example.com/route', interactionId: 7 });
  const paints = [
    entry('interaction-contentful-paint', 1000, { size: 10, paintedAt: 1100, interactionId: 7 }),
    entry('interaction-contentful-paint', 1000, { size: 90, paintedAt: 1400, interactionId: 7 }),
  ];
  const shifts = [
    entry('layout-shift', 900, { value: 0.5 }),
    entry('layout-shift', 1200, { value: 0.1 }),
    entry('layout-shift', 1300, { value: 0.2, hadRecentInput: true }),
    entry('layout-shift', 1500, { value: 0.1 }),
  ];
  expect(softNavigationOf([route, ...paints, ...shifts])).toEqual({
    url: 'https://example.com/route',
    lcp: 400,
    cls: 0.2,
  });
  expect(softNavigationOf(paints)).toBeNull();
});

test('the shown sample is the one with the median INP, with the values of all', () => {
  const samples = [300, null, 100, 200].map((inp) => ({ interactions: [measured({ inp })] }));
  const [result] = interactionResults(samples) ?? [];
  expect(result).toMatchObject({ inp: 200, spread: { inp: { min: 100, max: 300 }, tbt: null } });
  expect(result?.samples.map(({ inp }) => inp)).toEqual([300, null, 100, 200]);
  expect(result && interactionView(result, { report: '/report', change: null })).toMatchObject({
    inp: '200ms',
    links: { report: '/report' },
  });
  expect(interactionResults([{}])).toBeUndefined();
});

test('no end of an audit costs the result of the load, and finished interactions stay', () => {
  const interactions = [measured({ reason: 'ended' }), measured({ name: 'menu', reason: 'ended' })];
  const loaded = { summary: { interactions }, document: 'shown' } as unknown as Audited;
  const limits = limitsOn(8 * 2 ** 30);
  const endAfter = (...events: AuditEvent[]) => {
    let state = initialState;
    for (const event of events) {
      const [next, decision] = decide(state, event, limits);
      state = next;
      if ('end' in decision) return decision.end;
    }
    return undefined;
  };
  const before = [
    { type: 'loaded', ...loaded },
    { type: 'interaction', index: 0, result: measured({ inp: 200 }) },
  ] as const;
  const crash = { type: 'mainFrame', record: { ...emptyMainFrame, navigations: 1, crashed: true } } as const;
  for (const end of [
    { type: 'exited' },
    { type: 'elapsed', timer: 'attempt' },
    { type: 'memory', browserBytes: 1e12, auditorBytes: 0 },
    { type: 'failed', code: null, message: 'x', browserAlive: false, pageAnswers: null },
    { type: 'finished' },
  ] as const) {
    expect(endAfter(...before, crash, end)).toMatchObject({
      how: 'audited',
      summary: { interactions: [{ inp: 200 }, { name: 'menu', reason: 'ended' }] },
    });
  }
  expect(endAfter({ type: 'exited' })).toEqual({ how: 'exited' });
});

const recorded = (...steps: object[]) =>
  Interactions.safeParse({ title: 'Search it!', steps: [{ type: 'navigate', url: 'https://example.com/' }, ...steps] });
const selectors = [['aria/Search'], ['#search'], ['xpath///*[@id="search"]'], ['pierce/#search'], ['text/Search']];

const or = ['#search', 'xpath///*[@id="search"]', 'pierce/#search', 'text/Search'];

test('a recording of DevTools becomes interactions', () => {
  const { data } = recorded(
    {
      type: 'setViewport',
      width: 400,
      height: 800,
      deviceScaleFactor: 1,
      isMobile: true,
      hasTouch: true,
      isLandscape: false,
    },
    { type: 'click', target: 'main', selectors, offsetX: 3, offsetY: 4, assertedEvents: [] },
    { type: 'change', target: 'main', selectors: ['#q'], value: 'shoes' },
    { type: 'keyDown', target: 'main', key: 'Shift' },
    { type: 'keyDown', target: 'main', key: 'Tab' },
    { type: 'keyUp', target: 'main', key: 'Tab' },
    { type: 'keyUp', target: 'main', key: 'Shift' },
    { type: 'keyDown', target: 'main', key: 'Enter' },
    { type: 'hover', selectors: [['#host', '.inner']] },
    { type: 'scroll', target: 'main', x: 0, y: 600 },
    { type: 'scroll', target: 'main', x: 0, y: 500 },
    { type: 'doubleClick', selectors: [['#a']] },
    { type: 'waitForElement', selectors: [['#results']], visible: true },
  );
  expect(data).toEqual([
    {
      name: 'search-it',
      steps: [
        { click: 'aria/Search', offset: { x: 3, y: 4 }, or },
        { type: '#q', text: 'shoes' },
        { press: 'Shift+Tab' },
        { press: 'Enter' },
        { hover: '#host >>> .inner' },
        { scroll: 600 },
        { scroll: -100 },
        { click: '#a', times: 2 },
        { waitFor: '#results' },
      ],
    },
  ]);
  const many = recorded(...Array.from({ length: 12 }, () => ({ type: 'click', selectors })));
  expect(many.data?.map(({ name, steps }) => [name, steps.length])).toEqual([
    ['search-it-1', 10],
    ['search-it-2', 2],
  ]);
});

test.each([
  [{ type: 'waitForExpression', expression: 'alert(1)' }, 'Step 2 of the recording (waitForExpression) carries code'],
  [{ type: 'customStep', name: 'x', parameters: {} }, 'Step 2 of the recording (customStep) carries code'],
  [{ type: 'click', target: 'https://other.example/', selectors }, 'is for another tab'],
  [{ type: 'click', selectors, button: 'secondary' }, 'another button'],
  [{ type: 'click' }, 'has no selector'],
  [{ type: 'keyDown', key: 'BrightnessUp' }, 'unknown key'],
  [{ type: 'waitForElement', selectors, operator: '>=', count: 2 }, 'waits by operator'],
  [{ type: 'waitForElement', selectors, visible: false }, 'until an element is hidden'],
  [{ type: 'keyDown' }, 'Step 2 of the recording (keyDown) has no key'],
  [{ type: 'change', selectors }, 'has no value'],
  [{ type: 'click', selectors, deviceType: 'pen' }, 'with a pen'],
  [{ type: 'click', selectors, duration: 5001 }, 'has a duration that is not from 0 to 5000 ms'],
  [{ type: 'hover', selectors, timeout: 30_000 }, 'has a timeout of more than 10000 ms'],
  [{ type: 'dragAndDrop' }, 'has no counterpart'],
])('a recording with the step %j is refused by name', (step, message) => {
  expect(recorded(step).error?.issues[0]?.message).toContain(message);
});

test('a broken recording and an empty one are refused', () => {
  expect(Interactions.safeParse({ title: 1, steps: [] }).error?.issues[0]?.message).toContain('is no recording');
  expect(recorded().error?.issues[0]?.message).toContain('no step after its navigation');
});

/** Fields of each type of step in the schema of @puppeteer/replay, with a value that a recording may have. */
const base = { target: 'main', timeout: 5000, assertedEvents: [] };
const located = { ...base, selectors: [['#a'], ['#b']], frame: [0, 1] };
const clicked = { ...located, deviceType: 'touch', button: 'primary', offsetX: 30, offsetY: 20, duration: 800.4 };
const held = { offset: { x: 30, y: 20 }, duration: 800 };
const where = { or: ['#b'], frame: [0, 1] };
const schema: Record<string, { fields: object; becomes: object; refused?: Record<string, unknown> }> = {
  click: { fields: clicked, becomes: { click: '#a', ...held, ...where } },
  doubleClick: { fields: clicked, becomes: { click: '#a', times: 2, ...held, ...where } },
  hover: { fields: located, becomes: { hover: '#a', ...where } },
  change: { fields: { ...located, value: 'x' }, becomes: { type: '#a', text: 'x', ...where } },
  scroll: { fields: { ...located, x: 5, y: 2000 }, becomes: { scroll: '#a', to: { x: 5, y: 2000 }, ...where } },
  keyDown: { fields: { ...base, key: 'Enter' }, becomes: { press: 'Enter' } },
  waitForElement: {
    fields: { ...located, operator: '>=', count: 1, visible: true },
    becomes: { waitFor: '#a', ...where },
    refused: { properties: { id: 'a' }, attributes: { id: 'a' } },
  },
};

test.each(Object.entries(schema))('each field of the step %s is carried, or refused by name', (type, step) => {
  expect(recorded({ type, ...step.fields }).data?.[0]?.steps).toEqual([step.becomes]);
  for (const [name, value] of Object.entries({ ...step.refused, newField: 1 }))
    expect(recorded({ type, ...step.fields, [name]: value }).error?.issues[0]?.message).toContain(
      `has the field ${name}, which has no counterpart`,
    );
});

test('a page that a recording scrolls sideways, or in a frame, is scrolled to that place', () => {
  const { data } = recorded(
    { type: 'scroll', x: 10, y: 600 },
    { type: 'scroll', x: 10, y: 700 },
    { type: 'scroll', y: 5, frame: [1] },
  );
  expect(data?.[0]?.steps).toEqual([
    { scroll: ':root', to: { x: 10, y: 600 } },
    { scroll: 100 },
    { scroll: ':root', to: { x: 0, y: 5 }, frame: [1] },
  ]);
});
