import { pageMetrics } from '../../../shared/metrics/page-metrics.ts';
import type { MainThreadCpu, ThreadWaits, Waits } from '../cpu-waits.ts';
import { isPageThread, mainThreadOf, threadOf } from './threads.ts';
import type { TraceEvent } from './trace.ts';

/** The events without the waits: the same array if there are none, or if they can't be removed. */
export type Corrected = MainThreadCpu & { events: TraceEvent[] };

/** Duration from which a task blocks the page on the simulated device, in milliseconds. */
const LONG_TASK_MS = 50;
/**
 * Wait per run time of the main thread up to which the corrected times are true. Beside more load, caches that other
 * programs use slow the page's own work too.
 */
const MAX_WAIT_SHARE = 10;

/**
 * Removes from a trace the time in which the machine kept the tasks of pages from running. Lighthouse reads the wall time of
 * each task, and the simulation multiplies the wall time. A task keeps its start and its CPU time. A task also keeps the time
 * in which the page itself blocked it. `slowdown` is the multiplier of the simulation, or null without simulation, because
 * observed times can't be corrected.
 */
export const withoutWaits = (events: TraceEvent[], waits: Waits | null, slowdown: number | null): Corrected => {
  const pages = new Map(waits?.pages);
  const main = mainThreadOf(events);
  const threads = [...threadsOfPages(events)].map(([thread, list]) => ({
    isMain: thread === main,
    ...shortenTasks(list, { pid: list[0]?.pid ?? 0, own: pages.get(list[0]?.pid ?? 0) }, waits),
  }));
  const tasks = threads.filter(({ isMain }) => isMain).flatMap((each) => each.tasks);
  const ranMs = tasks.length > 0 ? sum(tasks.map(({ tdur }) => tdur)) / 1000 : null;
  const isKnown = ranMs !== null && pages.has(Number.parseInt(main ?? '', 10));
  if (!isKnown) return { events, ...unknown, ranMs };

  const waitedMs = sum(tasks.map(({ waitUs }) => waitUs)) / 1000;
  const long = tasks.filter(({ dur }) => (dur / 1000) * (slowdown ?? 1) >= LONG_TASK_MS);
  const changesTbt = (us: number[]) => (sum(us) / 1000) * (slowdown ?? 1) > pageMetrics.tbt.smallest.difference;
  const matters = changesTbt(long.map(({ waitUs }) => waitUs));
  const isUnexplained = changesTbt(long.map(({ unexplainedUs }) => unexplainedUs));
  const isRemovable = slowdown !== null && waitedMs <= MAX_WAIT_SHARE * ranMs;
  const changed = new Map(isRemovable ? threads.flatMap((each) => [...each.changed]) : []);
  const isCorrected = changed.size > 0;
  const corrected = isCorrected ? events.map((event) => changed.get(event) ?? event) : events;
  return { events: corrected, ranMs, waitedMs, matters, isUnexplained, isCorrected };
};

const unknown = { waitedMs: null, matters: false, isUnexplained: false, isCorrected: false };
const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

/** Returns the events of each thread that runs pages. */
const threadsOfPages = (events: readonly TraceEvent[]): Map<string, TraceEvent[]> => {
  const pages = new Set(events.filter(isPageThread).map(threadOf));
  return Map.groupBy(
    events.filter((event) => event.ts > 0 && pages.has(threadOf(event))),
    threadOf,
  );
};

/** A task of a thread: an event that no other event contains. Times are in microseconds. */
type Task = TraceEvent & { dur: number; tts: number; tdur: number };
const isTask = (event: TraceEvent): event is Task =>
  event.ph === 'X' && event.dur !== undefined && event.tts !== undefined && event.tdur !== undefined;

/** A thread that runs pages: the pid of its process, and its own waits. */
type PageThread = { pid: number; own: ThreadWaits | undefined };

/** Returns the tasks of a thread with their waits, and each event that the removal of the waits changes. */
const shortenTasks = (unsorted: TraceEvent[], { pid, own = [] }: PageThread, waits: Waits | null) => {
  const list = unsorted.toSorted((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0));
  const requesting = tasksWithRequest(list);
  const changed = new Map<TraceEvent, TraceEvent>();
  const tasks: { dur: number; tdur: number; waitUs: number; unexplainedUs: number }[] = [];
  let shorten: ((event: TraceEvent) => TraceEvent) | undefined;
  let endUs = 0;
  for (const event of list) {
    if (isTask(event) && event.ts >= endUs) {
      endUs = event.ts + event.dur;
      const isRequest = requesting.has(event);
      const offUs = Math.max(0, event.dur - event.tdur);
      const blockedUs = isRequest ? 0 : waitOfBlockers(event, pid, waits?.others ?? []);
      // From the end of the timed part on, other audits may have the CPU, and nothing is known about waits.
      const isAfterEnd = !isRequest && waits !== null && endUs > waits.endUs;
      const waitUs = isAfterEnd ? offUs : Math.min(offUs, blockedUs + waitOf(event, own, waits?.cpus));
      tasks.push({ dur: event.dur, tdur: event.tdur, waitUs, unexplainedUs: isRequest ? 0 : offUs - waitUs });
      shorten = waitUs > 0 ? shortener(event, waitUs) : undefined;
      if (waitUs > 0) changed.set(event, { ...event, dur: Math.round(event.dur - waitUs) });
    } else if (shorten && event.ts < endUs && /^[XIiBE]$/.test(event.ph ?? '')) changed.set(event, shorten(event));
  }
  return { tasks, changed };
};

/**
 * Returns how long the threads on which a task may have blocked waited for a CPU. A synchronous call passes threads of one
 * other process, and then the thread of the page's process that receives the answer. So the waits within a process add up,
 * and of the other processes only the one with the longest waits counts.
 */
const waitOfBlockers = ({ ts, dur }: Task, page: number, others: Waits['others']): number => {
  const waited = new Map([[page, 0]]);
  for (const [pid, waits] of others) waited.set(pid, (waited.get(pid) ?? 0) + waitedBetween(waits, ts, ts + dur));
  const ofPage = waited.get(page) as number;
  waited.delete(page);
  return ofPage + Math.max(0, ...waited.values());
};

/**
 * Returns how long a task did not run because its thread waited for a CPU. The kernel does not report the stolen time of a
 * thread, so a task lost the same share of it as all that ran.
 */
const waitOf = ({ ts, dur, tdur }: Task, own: ThreadWaits, cpus: Waits['cpus']): number => {
  const [waited, busy, stolen] = [own, cpus?.busy ?? [], cpus?.stolen ?? []].map((waits) =>
    waitBetween(waits, ts, ts + dur),
  ) as [number, number, number];
  const stolenUs = busy > stolen ? (tdur * stolen) / (busy - stolen) : 0;
  return waited + stolenUs;
};

/**
 * Returns a function that moves an event of a task. The trace has the CPU time of the thread at each event, so the time
 * off the CPU before an event is known. The same share of it is removed everywhere in the task.
 */
const shortener = (task: Task, waitUs: number) => {
  const share = waitUs / (task.dur - task.tdur);
  const end = task.ts + task.dur - waitUs;
  const removedAt = (ts: number, tts: number) => share * Math.max(0, ts - task.ts - (tts - task.tts));
  let removed = 0;
  return (event: TraceEvent): TraceEvent => {
    if (event.tts !== undefined) removed = removedAt(event.ts, event.tts);
    const ts = Math.min(end, event.ts - removed);
    if (event.ph !== 'X') return { ...event, ts: Math.round(ts) };
    const endOfEvent = event.ts + (event.dur ?? 0);
    const removedThen =
      event.tts === undefined || event.tdur === undefined ? removed : removedAt(endOfEvent, event.tts + event.tdur);
    const dur = Math.round(Math.min(end, endOfEvent - removedThen)) - Math.round(ts);
    return { ...event, ts: Math.round(ts), dur: Math.max(0, dur) };
  };
};

/**
 * Returns the tasks in which a request starts and ends. Only a synchronous request does so, and the page itself causes the
 * wait for its response.
 */
const tasksWithRequest = (list: readonly TraceEvent[]): Set<TraceEvent> => {
  const found = new Set<TraceEvent>();
  let task: Task | undefined;
  let sent = new Set<string>();
  let endUs = 0;
  for (const event of list) {
    if (isTask(event) && event.ts >= endUs) {
      [task, sent] = [event, new Set()];
      endUs = event.ts + event.dur;
    }
    const { requestId, resourceType, url = '' } = event.args?.data ?? {};
    if (!task || event.ts >= endUs || !requestId) continue;
    const ofScript = resourceType !== 'Document' && !url.startsWith('data:'); // the browser requests documents
    if (event.name === 'ResourceSendRequest' && ofScript) sent.add(requestId);
    if (event.name === 'ResourceFinish' && sent.has(requestId)) found.add(task);
  }
  return found;
};

/** Returns how long a thread waited between its last reading before a time and its first one after another time. */
const waitBetween = (waits: ThreadWaits, fromUs: number, toUs: number): number => {
  const after = firstFrom(waits, toUs);
  const before = firstFrom(waits, fromUs + 1) - 1;
  const [, waitedThen] = waits[Math.max(0, before)] ?? [0, 0];
  const [, waited] = waits[Math.min(after, waits.length - 1)] ?? [0, 0];
  return Math.max(0, waited - waitedThen);
};

/** Returns how long a thread waited between two times. Its waits are spread evenly between two readings. */
export const waitedBetween = (waits: ThreadWaits, fromUs: number, toUs: number): number =>
  waitedUntil(waits, toUs) - waitedUntil(waits, fromUs);

const waitedUntil = (waits: ThreadWaits, us: number): number => {
  const after = firstFrom(waits, us);
  const [before, next] = [waits[after - 1], waits[after]];
  if (!before || !next) return (before ?? next)?.[1] ?? 0;
  return before[1] + ((next[1] - before[1]) * (us - before[0])) / (next[0] - before[0]);
};

/** Returns the index of the first reading at a time or later. */
const firstFrom = (waits: ThreadWaits, us: number): number => {
  let [low, high] = [0, waits.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((waits[middle]?.[0] ?? 0) < us) low = middle + 1;
    else high = middle;
  }
  return low;
};
