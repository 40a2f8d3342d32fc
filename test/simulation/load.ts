import { dispatch } from '../../functions/lib/queue/dispatch.ts';
import { claimRun } from '../../functions/lib/runs/claim.ts';
import { emitFinished, emitMeasured } from '../../functions/lib/runs/run-metrics.ts';
import { checkStore } from '../../functions/lib/store/checks.ts';
import { deliveryStore } from '../../functions/lib/store/deliveries.ts';
import { dueStore } from '../../functions/lib/store/due.ts';
import { type Lease, leaseStore } from '../../functions/lib/store/leases.ts';
import { scheduleStore } from '../../functions/lib/store/schedules.ts';
import { waitingStore } from '../../functions/lib/store/waiting.ts';
import { sweep } from '../../functions/sweep.ts';
import { newCheck } from '../../shared/check.ts';
import type { Region } from '../../shared/regions.ts';
import type { AuditJob } from '../../shared/service/audit-job.ts';
import type { MetricRecorder } from './fired-alarms.ts';
import { memoryTable } from './memory-table.ts';
import type { Random } from './random.ts';

/** A load on the service of an environment. */
export type Load = {
  random: Random;
  openShards: number;
  auditsAtOnce: number; // in each region
  /** Returns the regions of each check that is created in a second. */
  creates: (second: number) => readonly (readonly Region[])[];
  /** Returns true if the workers receive jobs in a second. */
  receives: (second: number) => boolean;
  /** Writes to the table that a sweep has time for. */
  writesPerSweep: number;
  /** Second from which on no check is created. The load ends with its last run. */
  until: number;
  queueName: (region: Region) => string;
};

const STARTS_AT = Date.parse('2031-01-01T00:00:00.000Z');
const DAY_MS = 24 * 3600 * 1000;
/** Shorter than the time between two renewals of a lease. */
const AUDIT_SECONDS = { min: 3, max: 9 };
/** A queue delivers one of about so many of its oldest jobs. */
const NEXT_JOBS = 20;

/**
 * Runs a load through the real stores and the real sweeper, second by second in simulated time, on a table in memory. The
 * audits succeed. A worker needs a second to drop a duplicate.
 */
export const runLoad = async (load: Load, metrics: MetricRecorder) => {
  const clock = { second: 0, now: () => new Date(STARTS_AT + 1000 * clock.second) };
  const counts = { checks: 0, runs: 0, jobs: 0, duplicates: 0, looks: 0, closed: 0, auditSeconds: 0, writes: 0 };
  let writes = 0; // since the last sweep began
  let budget = new AbortController();
  const table = memoryTable(load.openShards, () => {
    counts.writes++;
    if (++writes === load.writesPerSweep) budget.abort();
  });
  const store = checkStore(table.db);
  const due = dueStore(table.db);
  const leases = leaseStore(table.db);

  const regions = new Map<Region, ReturnType<typeof simulatedRegion>>();
  const regionOf = (name: Region) => {
    const region = regions.get(name) ?? simulatedRegion({ load, table, store, leases, clock, counts });
    regions.set(name, region);
    return region;
  };
  const queues = {
    send: async (job: AuditJob) => {
      counts.jobs++;
      regionOf(job.region).queue.send(job, clock.second);
    },
    count: async (name: Region) => ({ waiting: regionOf(name).queue.waiting(), received: regionOf(name).busy() }),
  };

  const deadLetters = { regions: [], receive: neverHappens, remove: neverHappens }; // every audit succeeds
  const create = async (names: readonly Region[]) => {
    const ids = { id: load.random.uuid(), runIds: names.map(load.random.uuid), now: clock.now() };
    const check = newCheck({ url: 'https://example.com/', auditVersion: '13.5.0', regions: [...names] }, ids);
    const expiresAt = new Date(clock.now().getTime() + 90 * DAY_MS);
    const creation = {
      owner: 'acme',
      correlationId: 'c',
      fingerprint: 'f',
      retentionDays: 90,
      createId: load.random.uuid(),
    };
    const runs = (await store.create(check, { ...creation, expiresAt, trendExpiresAt: expiresAt })) ?? [];
    for (const run of runs) await dispatch({ due, queues }, run, clock.now());
    counts.checks++;
    counts.runs += runs.length;
  };

  const closeIfFinished: typeof store.closeIfFinished = (...call) => {
    counts.looks++;
    return store.closeIfFinished(...call);
  };
  const sweepOnce = sweep({
    ...{
      store: { ...store, closeIfFinished },
      due,
      waiting: waitingStore(table.db),
      queues,
      deadLetters,
      now: clock.now,
    },
    deliveries: deliveryStore(table.db), // no owner has a webhook
    ...{ schedules: scheduleStore(table.db), secrets: noSchedules, creates: noSchedules },
    deliveryQueue: { send: async () => {} },
    erasure: { eraseRemains: neverHappens, removeErasedMark: neverHappens },
    budgetMs: DAY_MS, // the writes are the budget
    get stopping() {
      return budget.signal;
    },
  });
  const minute = async () => {
    writes = 0;
    budget = new AbortController();
    await sweepOnce({});
    for (const [name, { queue }] of regions) {
      const QueueName = load.queueName(name);
      metrics.add('ApproximateNumberOfMessagesVisible', { QueueName }, queue.waiting());
      metrics.add('ApproximateAgeOfOldestMessage', { QueueName }, queue.oldestSeconds(clock.second));
    }
  };

  const isAtWork = () => [...regions.values()].some(({ queue, busy }) => queue.waiting() + busy() > 0);
  for (; clock.second < load.until || isAtWork(); clock.second++) {
    metrics.setTime(clock.second);
    for (const names of load.creates(clock.second)) await create(names);
    for (const region of regions.values()) await region.work();
    if (clock.second % 60 === 59) await minute();
  }
  return { ...counts, regions: [...regions.keys()], endedAt: clock.second, openItems: table.openItems() };
};

/** Parts of a sweep that creates the checks of schedules. The load has none. */
const noSchedules = {} as Parameters<typeof sweep>[0]['creates'] & Parameters<typeof sweep>[0]['secrets'];

const neverHappens = (): never => {
  throw new Error('the load erases no check, and has no dead letter');
};

type Simulation = {
  load: Load;
  table: ReturnType<typeof memoryTable>;
  store: ReturnType<typeof checkStore>;
  leases: ReturnType<typeof leaseStore>;
  clock: { second: number; now: () => Date };
  counts: { duplicates: number; closed: number; auditSeconds: number };
};

/** A region with its queue and its workers. */
const simulatedRegion = ({ load, table, store, leases, clock, counts }: Simulation) => {
  const queue = roughQueue(load.random);
  const ends = new Map<number, (Lease | undefined)[]>(); // by second; a duplicate has no lease
  let busy = 0;

  const begin = async (job: AuditJob): Promise<void> => {
    const deps = { store, leases, retryDelaysMs: [], now: clock.now };
    const { lease } = await claimRun(deps, job, load.random.uuid());
    const seconds = lease ? load.random.between(AUDIT_SECONDS.min, AUDIT_SECONDS.max) : 1;
    if (lease) counts.auditSeconds += seconds;
    else counts.duplicates++;
    const endsAt = clock.second + seconds;
    ends.set(endsAt, [...(ends.get(endsAt) ?? []), lease]);
    busy++;
  };
  const end = async (lease: Lease): Promise<void> => {
    const { checkId, createdAt } = lease.run;
    if (!(await leases.finish(lease, { state: 'succeeded', attempts: [] }, clock.now())))
      throw new Error(`the lease of a run of check ${checkId} is lost`);
    const runSeconds = (clock.now().getTime() - Date.parse(createdAt)) / 1000;
    emitFinished(lease.run, null);
    emitMeasured(lease.run, null, { runSeconds, auditSeconds: AUDIT_SECONDS.min, environment: null });
    if (table.forgetIfClosed(checkId)) counts.closed++;
  };
  return {
    queue,
    busy: () => busy,
    /** Ends the audits of this second, and lets free workers receive jobs. */
    work: async (): Promise<void> => {
      const ended = ends.get(clock.second) ?? [];
      ends.delete(clock.second);
      busy -= ended.length;
      for (const lease of ended) if (lease) await end(lease);
      while (busy < load.auditsAtOnce && load.receives(clock.second)) {
        const job = queue.receive();
        if (!job) return;
        await begin(job);
      }
    },
  };
};

/** A queue that keeps the order of its jobs only roughly, as SQS does. */
const roughQueue = (random: Random) => {
  const jobs: { job: AuditJob; sentAt: number }[] = [];
  let received = 0; // jobs at the beginning of the list that are gone
  return {
    send: (job: AuditJob, sentAt: number): void => void jobs.push({ job, sentAt }),
    receive: (): AuditJob | undefined => {
      const next = random.between(received, Math.min(received + NEXT_JOBS, jobs.length) - 1);
      const [oldest, picked] = [jobs[received], jobs[next]];
      if (!oldest || !picked) return undefined;
      jobs[next] = oldest;
      received++;
      if (received === 10_000) {
        jobs.splice(0, received);
        received = 0;
      }
      return picked.job;
    },
    waiting: () => jobs.length - received,
    oldestSeconds: (now: number) => now - (jobs[received]?.sentAt ?? now),
  };
};
