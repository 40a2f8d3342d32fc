import { expect, test } from 'vitest';
import type { ThreadWaits, Waits } from '../../functions/auditor/cpu-waits.ts';
import type { TraceEvent } from '../../functions/auditor/lighthouse/trace.ts';
import { withoutWaits } from '../../functions/auditor/lighthouse/waits.ts';

const PAGE = 7;
const at = { pid: PAGE, tid: 1 }; // in a sandbox, a renderer is thread 1 of its own
const ms = (n: number) => n * 1000;

const navigation: TraceEvent = {
  ...at,
  ph: 'R',
  name: 'navigationStart',
  ts: 1,
  args: { data: { isOutermostMainFrame: true, documentLoaderURL: 'https://example.com/' } },
};
const name: TraceEvent = { ...at, ph: 'M', name: 'thread_name', ts: 0, args: { name: 'CrRendererMain' } };
/** An event with its start and duration, and the CPU time of the thread then, in milliseconds. */
const event = (title: string, [start, wall]: [number, number], [cpuBefore, cpu]: [number, number]): TraceEvent => ({
  ...at,
  ph: 'X',
  name: title,
  ts: ms(start),
  dur: ms(wall),
  tts: ms(cpuBefore),
  tdur: ms(cpu),
  args: {},
});
const request = (title: string, start: number, url = 'https://example.com/'): TraceEvent => ({
  ...at,
  ph: 'I',
  name: title,
  ts: ms(start),
  args: { data: { requestId: 'r', url } },
});
/** Readings of a thread: times, and its waits until then, in milliseconds. */
const readings = (...all: [number, number][]): ThreadWaits => all.map(([time, waited]) => [ms(time), ms(waited)]);

type World = Partial<Pick<Waits, 'others' | 'cpus' | 'endUs'>> & { own?: ThreadWaits; slowdown?: number | null };
const correct = (tasks: TraceEvent[], { own, others = [], cpus, endUs = ms(10_000), slowdown = 4 }: World) => {
  const events = [name, navigation, ...tasks];
  const pages: [number, ThreadWaits][] = own ? [[PAGE, own]] : [];
  const corrected = withoutWaits(events, { pages, others, endUs, ...(cpus && { cpus }) }, slowdown);
  const durations = corrected.events.flatMap(({ dur }) => (dur === undefined ? [] : [dur / 1000]));
  return { ...corrected, durations, isUntouched: corrected.events === events };
};

const idle = readings([0, 0]);

test('a task loses the time in which its thread waited for a CPU, and keeps its start', () => {
  const tasks = [event('RunTask', [10, 100], [0, 40]), event('RunTask', [200, 20], [40, 20])];
  const { events, durations, ...cpu } = correct(tasks, { own: readings([0, 0], [5, 0], [115, 60], [220, 60]) });
  expect(durations).toEqual([40, 20]);
  expect(events.map(({ ts }) => ts)).toEqual([0, 1, ms(10), ms(200)]);
  expect(cpu).toMatchObject({ ranMs: 60, waitedMs: 60, matters: true, isCorrected: true });
});

test('an event inside a task moves by the time that the task had lost until then', () => {
  const script = event('EvaluateScript', [30, 70], [10, 20]); // 10 of 20 ms had been lost before it, and 50 of 70 in it
  const mark: TraceEvent = { ...at, ph: 'I', name: 'TimerInstall', ts: ms(101), tts: ms(30), args: {} };
  const { events } = correct([event('RunTask', [10, 100], [0, 40]), script, mark], {
    own: readings([0, 0], [120, 60]),
  });
  expect(events.slice(3)).toMatchObject([{ ts: ms(20), dur: ms(20) }, { ts: ms(40) }]);
});

test('a task loses its share of the time that a hypervisor stole, and keeps the time in which it blocked', () => {
  const cpus = { busy: readings([0, 0], [400, 800]), stolen: readings([0, 0], [400, 400]) }; // half of both CPUs
  const tasks = [event('RunTask', [10, 100], [0, 40]), event('RunTask', [200, 100], [40, 100])];
  expect(correct(tasks, { own: idle, cpus }).durations).toEqual([60, 100]);
  expect(correct(tasks, { own: idle, cpus: { ...cpus, stolen: readings([0, 0]) } }).durations).toEqual([100, 100]);
});

test('a task never loses more than its time off the CPU', () => {
  const { durations } = correct([event('RunTask', [10, 100], [0, 70])], { own: readings([0, 0], [120, 90]) });
  expect(durations).toEqual([70]);
});

test('a blocked task loses the time in which a thread that it may block on waited for a CPU', () => {
  const blocked = event('RunTask', [10, 100], [0, 10]);
  const others: Waits['others'] = [
    [8, readings([0, 500], [10, 500], [50, 540])],
    [9, readings([0, 0], [200, 0])],
  ];
  expect(correct([blocked], { own: idle, others }).durations).toEqual([60]);
});

test('a blocked task loses the waits of the threads of its own process and of one other process, but not of all', () => {
  const waited = (pid: number, time: number): Waits['others'][number] => [pid, readings([10, 0], [110, time])];
  const call = [waited(8, 20), waited(8, 10), waited(PAGE, 5)]; // the call, its work, and its answer
  const blocked = event('RunTask', [10, 100], [0, 10]);
  expect(correct([blocked], { own: idle, others: call }).durations).toEqual([65]);
  expect(correct([blocked], { own: idle, others: [...call, waited(9, 25), waited(10, 29)] }).durations).toEqual([65]);
});

test('a synchronous request keeps the time of its response, but not the time without a CPU', () => {
  const task = event('RunTask', [10, 300], [0, 20]);
  const others: Waits['others'] = [[8, readings([10, 0], [310, 90])]];
  const own = readings([0, 0], [350, 30]);
  const sync = [task, request('ResourceSendRequest', 12), request('ResourceFinish', 305)];
  expect(correct(sync, { own, others }).durations).toEqual([270]);
  const inlined = [task, request('ResourceSendRequest', 12, 'data:,x'), request('ResourceFinish', 305, 'data:,x')];
  expect(correct(inlined, { own, others }).durations).toEqual([180]);
});

test('the document is no synchronous request, even if its task has all of it', () => {
  const task = event('RunTask', [10, 300], [0, 20]);
  const document = request('ResourceSendRequest', 12);
  document.args.data = { ...document.args.data, resourceType: 'Document' };
  const events = [task, document, request('ResourceFinish', 305)];
  expect(correct(events, { own: idle, others: [[8, readings([10, 0], [310, 90])]] }).durations).toEqual([210]);
});

test('a task that outlasts the readings keeps its CPU time, because other audits may have the CPU then', () => {
  const tasks = [event('RunTask', [10, 100], [0, 90]), event('RunTask', [200, 400], [90, 10])];
  expect(correct(tasks, { own: idle, endUs: ms(300) }).durations).toEqual([100, 10]);
});

test('time off the CPU is unexplained unless the thread or a blocker waited, or a request was synchronous', () => {
  const task = event('RunTask', [10, 300], [0, 20]);
  const isUnexplained = (tasks: TraceEvent[], world: World) => correct(tasks, { own: idle, ...world }).isUnexplained;
  expect(isUnexplained([task], {})).toBe(true);
  expect(isUnexplained([task], { others: [[8, readings([10, 0], [310, 270])]] })).toBe(false);
  const sync = [task, request('ResourceSendRequest', 12), request('ResourceFinish', 305)];
  expect(isUnexplained(sync, {})).toBe(false);
});

test('waits that can move no metric by more than its smallest difference are removed too', () => {
  const tasks = [event('RunTask', [10, 100], [0, 90]), event('RunTask', [200, 10], [90, 1])];
  const own = readings([0, 0], [5, 0], [115, 10], [195, 10], [230, 19]);
  expect(correct(tasks, { own })).toMatchObject({
    durations: [90, 1],
    waitedMs: 19,
    matters: false,
    isCorrected: true,
  });
  const desktop = [event('RunTask', [10, 100], [0, 30])]; // 70 ms of waits count once there
  expect(correct(desktop, { own: readings([0, 0], [120, 70]), slowdown: 1 }).matters).toBe(false);
});

test('observed times and waits that exceed the work many times are not corrected', () => {
  const own = readings([0, 0], [2000, 900]);
  const world = { isUntouched: true, waitedMs: 900, matters: true, isCorrected: false };
  expect(correct([event('RunTask', [10, 1000], [0, 80])], { own, slowdown: null })).toMatchObject(world);
  expect(correct([event('RunTask', [10, 1000], [0, 80])], { own })).toMatchObject(world);
});

test('a thread without readings has unknown waits, which are not 0', () => {
  const waits = correct([event('RunTask', [10, 100], [0, 40])], { others: [[8, readings([0, 0], [120, 60])]] });
  expect(waits).toMatchObject({ isUntouched: true, ranMs: 40, waitedMs: null, isCorrected: false });
});
