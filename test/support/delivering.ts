import { deliverWebhook } from '../../functions/deliver-webhook.ts';
import { checkStore } from '../../functions/lib/store/checks.ts';
import { leaseStore, type Outcome } from '../../functions/lib/store/leases.ts';
import { listStore } from '../../functions/lib/store/lists.ts';
import { markStore } from '../../functions/lib/store/marks.ts';
import type { PostWebhook } from '../../functions/lib/webhooks/post-webhook.ts';
import { sweep } from '../../functions/sweep.ts';
import type { Check } from '../../shared/check.ts';
import type { DeliveryJob } from '../../shared/service/delivery-job.ts';
import { LEASE_MS } from '../../shared/service/due-times.ts';
import { isFinished } from '../../shared/states.ts';
import { aCheck, passed, type World } from './world.ts';

type Options = { world: World; post: PostWebhook; now: Date; parts?: Partial<Parameters<typeof deliverWebhook>[0]> };
const MINUTE = 60_000;

/** A check that starts, and how its runs end. */
type Started = { check?: Check; outcome?: Omit<Outcome, 'attempts'> };

type Sent = { job: DeliveryJob; at: number };

/** Runs deliveries in simulated time. Its queue holds each message until its time, or loses it if `loses` says so. */
export const startDelivering = ({ world, post, now: start, parts = {} }: Options) => {
  let now = start.getTime();
  let queue: Sent[] = [];
  let loses = (_job: DeliveryJob): boolean => false;
  const send = async (job: DeliveryJob, delaySeconds = 0) => {
    if (!loses(job)) queue.push({ job, at: now + delaySeconds * 1000 });
  };
  const clock = () => new Date(now);
  const db = { ...world.db, announceClosed: send };
  const leases = leaseStore(db);
  const consume = deliverWebhook({
    checks: world.store,
    webhooks: world.webhooks,
    deliveries: world.deliveries,
    schedules: world.schedules,
    lists: listStore(world.db),
    marks: markStore(world.db),
    deliveryQueue: { send },
    post,
    now: clock,
    random: () => 0,
    pause: async (ms) => {
      now += ms;
    },
    ...parts,
  });
  const sweepOnce = sweep({ ...world, deliveryQueue: { send }, now: clock });

  /** Handles the messages whose time has come. Returns the errors. */
  const drain = async (): Promise<unknown[]> => {
    const errors: unknown[] = [];
    for (let due = queue.filter(({ at }) => at <= now); due.length > 0; due = queue.filter(({ at }) => at <= now)) {
      queue = queue.filter((each) => !due.includes(each));
      for (const { job } of due) await consume(job, () => 30_000).catch((error) => errors.push(error));
    }
    return errors;
  };
  /** Creates a check of an owner. `finish` ends its open runs now, and closes it if a worker has died before. */
  const startCheck = async (owner: string, { check = aCheck({ now: clock() }), outcome = passed }: Started = {}) => {
    await world.create(check, { owner });
    const finish = async (): Promise<void> => {
      for (const run of (await world.find(check.id)).runs.filter(({ state }) => !isFinished(state))) {
        const held = new Date(now + LEASE_MS + 1); // after the lease of a worker that died
        const lease = await leases.claim(run, crypto.randomUUID(), run.lease ? held : clock());
        if (lease) await leases.finish(lease, { attempts: [], ...outcome }, clock());
      }
      await checkStore(db).closeIfFinished(check.id, clock());
    };
    return { check, finish };
  };

  return {
    db,
    now: clock,
    drain,
    loseMessages: (which: typeof loses) => {
      loses = which;
    },
    startCheck,
    /** Creates a check of an owner, and finishes its runs now. */
    finishCheck: async (owner: string, started?: Started) => {
      const { check, finish } = await startCheck(owner, started);
      await finish();
      return check;
    },
    /** Lets some time pass without a sweep. */
    advance: (ms: number): void => {
      now += ms;
    },
    /** Lets some time pass, with a sweep in each minute in which something is due. */
    pass: async (ms: number): Promise<void> => {
      for (const end = now + ms; now < end; ) {
        const [due] = await world.due.list({ kind: 'deliveries', shard: 0 }, new Date(end), 1);
        const messages = queue.map(({ at }) => at);
        const swept = due ? Math.ceil(Date.parse(due.dueAt) / MINUTE) * MINUTE : end;
        now = Math.max(now + 1, Math.min(end, swept, ...messages));
        await drain();
        if (now >= swept) await sweepOnce({});
        await drain();
      }
    },
  };
};
