import type { Lease, Outcome } from '../../../functions/lib/store/leases.ts';
import type { Sample, Spread } from '../../../shared/metrics/page-metrics-schemas.ts';
import { runError } from '../../../shared/problems.ts';
import type { Parts } from '../functions.ts';
import { alterText, type Defects } from './defect.ts';

/** Changes the outcome of each run that a worker finishes. */
const finishes =
  (change: (outcome: Outcome) => Partial<Outcome>) =>
  ({ leases }: Parts): void => {
    const { finish } = leases;
    leases.finish = (lease, outcome, now) => finish(lease, { ...outcome, ...change(outcome) }, now);
  };
const succeeds = (change: (outcome: Outcome) => Partial<Outcome>) =>
  finishes((outcome) => (outcome.state === 'succeeded' ? change(outcome) : {}));
const fails = (change: (outcome: Outcome) => Partial<Outcome>) =>
  finishes((outcome) => (outcome.state === 'failed' ? change(outcome) : {}));

export const defectsOfRuns: Defects = {
  'a result that no sample has': {
    found: /the result of .* is none of its samples/,
    seed: 4,
    wrap: succeeds(({ performance }) => ({ performance: ((performance ?? 0) + 1) % 101 })),
  },
  'a sample that is lost': {
    found: /has \d of \d samples|is none of its samples/,
    seed: 1,
    wrap: succeeds(({ samples = [] }) => ({ samples: samples.slice(1) })),
  },
  'a sample that counts twice': {
    found: /has a sample twice/,
    seed: 4,
    wrap: succeeds(({ samples = [] }) => ({ samples: samples.map(() => samples[0] as Sample) })),
  },
  'a sample that no audit gave': {
    found: /has a sample that no audit gave/,
    wrap: succeeds(({ samples = [] }) => ({ samples: samples.map((each) => ({ ...each, fcp: 1 })) })),
  },
  'a spread of other samples': {
    found: /the spread of .* is not that of its samples/,
    seed: 4,
    wrap: succeeds(({ spread }) => ({ spread: spread && ({ ...spread, performance: null } as Spread) })),
  },
  'a success with an error': {
    found: /succeeded with an error/,
    seed: 1,
    wrap: succeeds(() => ({ error: runError('internal') })),
  },
  'a failure with a result': {
    found: /failed and has a result/,
    seed: 2,
    wrap: fails(() => ({ performance: 50 })),
  },
  'samples that are given to the other variant': {
    found: /has a sample that no audit gave/,
    seed: 6,
    wrap: succeeds(({ against, samples = [] }) => (against ? { against: { ...against, samples } } : {})),
  },
  'a second variant that names the report of the first': {
    found: /names the report of another audit/,
    seed: 6,
    wrap: succeeds(({ against, report }) => (against ? { against: { ...against, report } } : {})),
  },
  'a failure that does not name its variant': {
    found: /names no variant/,
    seed: 6,
    wrap: fails(({ error }) => ({ error: error && { ...error, variant: undefined } })),
  },
  'an attempt of the other variant': {
    found: /says that it audited|has lost or changed an attempt/,
    seed: 6,
    wrap: finishes(({ attempts }) => ({
      attempts: attempts.map((each) => (each.variant ? { ...each, variant: 'own' as const } : each)),
    })),
  },
  'a failure without its reason': {
    found: /failed without an error/,
    wrap: fails(() => ({ error: null })),
  },
  'a failure with another reason': {
    found: /failed with internal, and its last attempt with/,
    seed: 3,
    wrap: fails(({ error }) => ({ error: { ...runError('internal'), variant: error?.variant } })),
  },
  'a fault with the wrong blame': {
    found: /blames the (page|service) for/,
    seed: 2,
    wrap: fails(({ error }) => ({ error: error && { ...error, blame: error.blame === 'page' ? 'service' : 'page' } })),
  },
  'a fault of the service that nobody retries': {
    found: /without a retry/,
    wrap: ({ leases }) => {
      const { recordAttempt } = leases;
      leases.recordAttempt = async (lease, progress) => {
        const { attempts } = progress;
        const code = attempts.at(-1)?.code;
        if (!code) return recordAttempt(lease, progress);
        const error = runError(code);
        await leases.finish(lease, { state: 'failed', error, attempts: [...attempts] }, new Date());
        return false;
      };
    },
  },
  'a recorded sample that no audit gave': {
    found: /has recorded a sample that no audit gave/,
    seed: 1,
    wrap: ({ leases }) => {
      const { recordAttempt } = leases;
      leases.recordAttempt = (lease, { samples, ...progress }) =>
        recordAttempt(lease, { ...progress, samples: samples.map((each) => ({ ...each, fcp: 1 })) });
    },
  },
  'an attempt that is lost': {
    found: /attempts of the last worker, which made/,
    seed: 1,
    wrap: finishes(({ attempts }) => ({ attempts: attempts.slice(0, -1) })),
  },
  'an attempt that ended otherwise': {
    found: /ended with .*, not with/,
    seed: 1,
    wrap: finishes(({ attempts }) => ({
      attempts: attempts.map((each, i) => (i === attempts.length - 1 ? { ...each, code: 'page-crashed' } : each)),
    })),
  },
  'attempts that are forgotten at the next claim': {
    found: /has lost or changed an attempt/,
    wrap: ({ leases }) => {
      const { claim } = leases;
      leases.claim = async (run, id, now) => {
        const lease = await claim(run, id, now);
        return lease && { ...lease, run: { ...lease.run, attempts: [] } };
      };
    },
  },
  'a lost lease that the next claim does not count': {
    found: /lost leases, and lost/,
    wrap: ({ leases }) => {
      const { claim } = leases;
      leases.claim = (run, id, now) => claim(run.lease ? { ...run, lostLeases: run.lostLeases - 1 } : run, id, now);
    },
  },
  'a lost lease that the sweeper does not count': {
    found: /lost leases, and lost/,
    wrap: ({ due }) => {
      const { countLostLease } = due;
      due.countLostLease = (run, now) => countLostLease({ ...run, lostLeases: run.lostLeases - 1 }, now);
    },
  },
  'a run that is abandoned after its first lost lease': {
    found: /abandoned .* too early/,
    wrap: ({ due }) => {
      const { countLostLease } = due;
      due.countLostLease = async (run, now) => {
        const unheld = await countLostLease(run, now);
        if (unheld) await due.abandon(unheld, runError('abandoned'), now);
        return undefined;
      };
    },
  },
  'a lost job that nobody sends again': {
    found: /abandoned .* too early|nobody finished/,
    wrap: ({ queues }) => {
      const { send } = queues;
      queues.send = async (job) => {
        if (new Error().stack?.includes('createCheck')) await send(job);
      };
    },
  },
  'a job in the queue of another region': {
    found: /claimed .* of another region/,
    seed: 1,
    wrap: ({ queues }) => {
      const { send } = queues;
      queues.send = (job) => send({ ...job, region: job.region === 'us-east4' ? 'europe-west3' : 'us-east4' });
    },
  },
  'an update that comes before the last one': {
    found: /was updated before its last update/,
    alters: (call, { sk }) => {
      if (sk.startsWith('RUN#') && call.operation === 'UpdateItem')
        alterText(call, 'updatedAt', () => '2031-01-01T00:00:00.000Z');
    },
  },
  'a report under a key without its lease': {
    found: /was overwritten|names the report of another audit/,
    wrap: ({ leases, reports }) => {
      const { put } = reports;
      const { finish } = leases;
      const short = (key: string) => key.replace(/[0-9a-f-]{36}-(\d+\.json)/, '$1');
      reports.put = (key, gzip) => put(short(key), gzip);
      leases.finish = (lease: Lease, { report, ...outcome }, now) =>
        finish(lease, { ...outcome, report: report && { ...report, key: short(report.key) } }, now);
    },
  },
  'a run that names the report of another one': {
    found: /names the report of another audit|the report of .* is gone/,
    wrap: ({ leases, reports }) => {
      const { put } = reports;
      const { finish } = leases;
      const stored: string[] = [];
      reports.put = async (key, gzip) => {
        await put(key, gzip);
        stored.push(key);
      };
      leases.finish = (lease, { report, ...outcome }, now) =>
        finish(lease, { ...outcome, report: report && { ...report, key: stored[0] ?? report.key } }, now);
    },
  },
};
