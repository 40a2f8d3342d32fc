import { createHash } from 'node:crypto';
import { log } from '../../functions/lib/log.ts';
import { openAll, owners, startClients } from './clients.ts';
import type { Defect } from './defects/defect.ts';
import { checkIdIn, startEmbeddedBucket } from './embedded-bucket.ts';
import { startEmbeddedTable } from './embedded-table.ts';
import { drawFaults } from './faults.ts';
import { openParts, sdkSettings } from './functions.ts';
import { replaceGlobals } from './globals.ts';
import { leftWhenQuiet, lostLeases } from './invariants.ts';
import { monitorTable } from './monitor.ts';
import { replaceNetwork } from './network.ts';
import { seededRandom } from './random.ts';
import { startService } from './service.ts';
import type { Audits } from './simulated-auditors.ts';
import { contexts, SimProcess, startTimeline } from './timeline.ts';

export type Result = {
  seed: number;
  /** Number of faults that happened. */
  faults: number;
  /** Hash of everything that happened. */
  hash: string;
  /** The promise that was broken first, and the last events before it. */
  violation?: { what: string; events: string[] };
};

const STARTS_AT = Date.parse('2031-01-01T00:00:00.000Z');
const KEPT_EVENTS = 60;
const FAULT_PROBABILITY = 0.2;
const MINUTE = 60_000;
/** Time without faults after which nothing may be open. Runs are abandoned after a day. */
const LONGEST_QUIET_MS = 60 * 60 * MINUTE;
/** A sweep runs only if an item is due. More sweeps than this change nothing any more. */
const MAX_QUIET_SWEEPS = 100;
/** A report that a worker stores so long after the erasure of its check may stay. The worker has lost its lease by then. */
const LATE_AFTER_MS = 60_000;
const LEASES_CHECKED_MS = 8 * MINUTE;

/**
 * Runs the service for some simulated minutes with faults, then without faults until nothing is left to do. Stops at the
 * first broken promise. The same seed gives the same events. `onEvent` gets each of them.
 */
export const simulate = async (
  seed: number,
  { defect, onEvent }: { defect?: Defect | undefined; onEvent?: ((event: string) => void) | undefined } = {},
): Promise<Result> => {
  warm ??= warmUp();
  await warm;
  const random = seededRandom(seed);
  const timeline = startTimeline(STARTS_AT);
  const faults = drawFaults({ random, probability: FAULT_PROBABILITY });
  const events: string[] = [];
  const hash = createHash('sha256');
  let violation: Result['violation'];
  const trace = (text: string) => {
    const event = `${new Date(timeline.now()).toISOString().slice(8, 23)} ${text}`;
    hash.update(`${event}\n`);
    events.push(event);
    onEvent?.(event);
    if (events.length > 2 * KEPT_EVENTS) events.splice(0, KEPT_EVENTS);
  };
  const violated = (what: string) => {
    violation ??= { what, events: events.slice(-KEPT_EVENTS) };
  };

  const table = await startEmbeddedTable();
  const bucket = startEmbeddedBucket();
  const audits: Audits = new WeakMap();
  const monitor = monitorTable({ timeline, table, bucket, audits, violated, defect });
  const { nextDueAt, hasCheck, images, ownerOf } = monitor;
  using cleanUp = new DisposableStack();
  cleanUp.defer(replaceGlobals(timeline, random));
  cleanUp.defer(traceLog(trace));
  const service = startService({ timeline, random, faults, trace, violated, nextDueAt, audits, defect });
  /** Reports that a stalled worker stored long after its check was erased. The lifecycle rule deletes them. */
  const storedLate = new Set<string>();
  const onStored = (key: string, before: Buffer | undefined) => {
    if (before && !before.equals(bucket.objects.get(key) as Buffer)) violated(`the report ${key} was overwritten`);
    const checkId = checkIdIn(key);
    const markedAt = monitor.markedAt(checkId) ?? Number.NEGATIVE_INFINITY;
    const isLate = timeline.now() > markedAt + LATE_AFTER_MS;
    if (isLate && !images.has(`CHECK#${checkId} CHECK`)) storedLate.add(key);
  };
  const network = { timeline, random, faults, table, bucket, trace, ...service };
  cleanUp.defer(replaceNetwork({ ...network, onTableCall: monitor.onCall, onStored }));
  const clientOptions = { timeline, random, request: service.request, hasCheck, images, ownerOf, violated };
  const clients = startClients(clientOptions);

  const runUntil = async (done: () => boolean) => {
    while (!violation && !done()) {
      service.deliver();
      await timeline.step();
    }
  };
  const runUntilDone = async (promise: Promise<unknown>) => {
    let done = false;
    void promise.then(() => {
      done = true;
    });
    await runUntil(() => done);
  };
  await runUntilDone(clients.done);
  faults.stop();
  trace('no more faults');
  const quietAt = timeline.now();
  await runUntil(() => timeline.now() > quietAt + LEASES_CHECKED_MS);
  if (!violation) for (const each of lostLeases(images, timeline.wallNow())) violated(each);
  const isQuiet = () => nextDueAt() === Number.POSITIVE_INFINITY && service.isIdle() && !service.hasDeadLetter();
  const lastSweep = service.sweeps() + MAX_QUIET_SWEEPS;
  await runUntil(() => isQuiet() || timeline.now() > quietAt + LONGEST_QUIET_MS || service.sweeps() > lastSweep);
  if (service.hasDeadLetter()) violated('nobody handled a dead letter');
  if (!violation) for (const each of leftWhenQuiet(images, { bucket, storedLate }, clients.accepted())) violated(each);
  for (const owner of owners.filter((each) => images.has(`OWNER#${each} USAGE`))) {
    if (!violation) await runUntilDone(openAll(clientOptions, owner));
  }
  return { seed, faults: faults.count(), hash: hash.digest('hex'), ...(violation && { violation }) };
};

let warm: Promise<void> | undefined;

/** Lets the SDK read its settings and import its parts, so that it does no real I/O during a simulation. */
const warmUp = async (): Promise<void> => {
  Object.assign(process.env, sdkSettings);
  const [random, timeline] = [seededRandom(0), startTimeline(STARTS_AT)];
  const [table, bucket] = [await startEmbeddedTable(), startEmbeddedBucket()];
  const faults = drawFaults({ random, probability: 0 });
  using cleanUp = new DisposableStack();
  const queues = { queueAttributes: () => ({}), receiveDeadLetter: () => undefined, removeDeadLetter: () => {} };
  const network = { timeline, random, faults, table, bucket, trace: () => {}, ...queues };
  cleanUp.defer(replaceGlobals(timeline, random));
  cleanUp.defer(replaceNetwork({ ...network, onMessage: () => {}, onTableCall: table.call, onStored: () => {} }));
  let done = false;
  const calls = contexts.run({ process: new SimProcess('warm-up'), invocation: {} }, async () => {
    const { due, reports, queues, waiting } = openParts();
    await due.list({ kind: 'checks', shard: 0 }, new Date(), 1);
    await reports.keysOf('none', 90);
    await reports.put('none', Buffer.of());
    await queues.count('us-east4');
    await waiting.atWork('us-east4', new Date());
    await queues.send({ checkId: '', runId: '', region: 'us-east4', correlationId: '', owner: '', createId: '' });
  });
  void calls.finally(() => {
    done = true;
  });
  while (!done) {
    await timeline.step();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await calls;
};

/** Adds the service's log to the trace. */
const traceLog = (trace: (text: string) => void): (() => void) => {
  const levels = ['info', 'warn', 'error'] as const;
  const real = Object.fromEntries(levels.map((level) => [level, log[level]]));
  for (const level of levels) {
    log[level] = ((message: unknown, extra?: unknown) => {
      const { runId, checkId, error } = (extra ?? {}) as { runId?: string; checkId?: string; error?: Error };
      const { name } = contexts.getStore()?.process ?? {};
      trace(`${name} logs: ${message} ${runId ?? checkId ?? ''}${error ? ` (${error.message})` : ''}`);
    }) as typeof log.info;
  }
  return () => Object.assign(log, real);
};
