import { firstDueAt } from '../../functions/lib/store/items.ts';
import type { Lease } from '../../functions/lib/store/leases.ts';
import type { Defects } from './defects/defect.ts';
import { defectsOfChecks } from './defects/of-checks.ts';
import { defectsOfPages } from './defects/of-pages.ts';
import { defectsOfReaders } from './defects/of-readers.ts';
import { defectsOfRuns } from './defects/of-runs.ts';

/** Defects that break a promise. The simulation must find each of them. */
export const plantedDefects: Defects = {
  ...defectsOfRuns,
  ...defectsOfChecks,
  ...defectsOfPages,
  ...defectsOfReaders,
  'a holder that writes without its lease': {
    found: /after it had lost its lease/,
    wrap: ({ leases, store }) => {
      const { renew, recordAttempt, finish } = leases;
      const asHolder = async (lease: Lease): Promise<Lease> => {
        const run = await store.findRunOfAnyOwner(lease.run);
        return { ...lease, id: run?.lease?.id ?? lease.id };
      };
      leases.renew = async (lease, ...more) => renew(await asHolder(lease), ...more);
      leases.recordAttempt = async (lease, ...more) => recordAttempt(await asHolder(lease), ...more);
      leases.finish = async (lease, ...more) => finish(await asHolder(lease), ...more);
    },
  },
  'a claim that ignores a live lease': {
    found: /two holders of a lease/,
    seed: 2,
    wrap: ({ leases }) => {
      const { claim } = leases;
      leases.claim = (run, id, now) => {
        const until = run.lease ? Date.parse(run.lease.until) + 1 : 0;
        return claim(run, id, new Date(Math.max(now.getTime(), until))); // as if the lease had ended
      };
    },
  },
  'a claim that leaves a due time long after its lease': {
    found: /and it is due only at/,
    seed: 1,
    wrap: ({ leases }) => {
      const { claim } = leases;
      leases.claim = async (run, id, now) => {
        const asNew = { ...run, createdAt: now.toISOString(), dueAt: firstDueAt({ createdAt: now.toISOString() }) };
        const lease = await claim(asNew, id, now);
        return lease && { ...lease, run: { ...lease.run, createdAt: run.createdAt } };
      };
    },
  },
  'a report that is stored after the run has succeeded': {
    found: /succeeded without a stored report/,
    seed: 2,
    wrap: ({ leases, reports }) => {
      const { finish } = leases;
      const { put } = reports;
      const waiting = new Map<string, Buffer>();
      reports.put = async (key, gzip) => void waiting.set(key, gzip);
      leases.finish = async (lease, outcome, now) => {
        const finished = await finish(lease, outcome, now);
        const gzip = waiting.get(outcome.report?.key ?? '');
        if (gzip) await put(outcome.report?.key ?? '', gzip);
        return finished;
      };
    },
  },
  'pointers that are not erased': {
    found: /the pointer .* is left of a check that is gone/,
    seed: 3,
    drops: ({ operation }, { pk }) => operation === 'DeleteItem' && pk.startsWith('RUN#'),
  },
  'entries of series that are not erased': {
    found: /the entry .* is left of a check that is gone/,
    drops: ({ operation }, { sk }) => operation === 'DeleteItem' && sk.startsWith('TREND#'),
  },
  'entries of series that nobody fills': {
    found: /the entry .* of a closed check is empty/,
    drops: ({ operation }, { sk }) => operation === 'UpdateItem' && sk.startsWith('TREND#'),
  },
  'a lost lease that nobody looks at again': {
    found: /nobody looks at/,
    seed: 4,
    wrap: ({ due }) => {
      const { hold } = due;
      due.hold = async (item, now) => {
        const held = await hold(item, now);
        return held && 'run' in held && held.run.lease ? undefined : held;
      };
    },
  },
  'a dead letter that nobody receives': {
    found: /nobody handled a dead letter/,
    seed: 8,
    wrap: ({ deadLetters }) => {
      deadLetters.receive = async () => [];
    },
  },
  'a check that nobody closes': {
    found: /nobody closed/,
    wrap: ({ store }) => {
      store.closeIfFinished = async () => false; // the sweeper believes that a run is still at work
    },
  },
  'a count that is not given back': {
    found: /got 429/,
    drops: ({ input }, { sk }) => sk === 'USAGE' && /#recount = /.test(String(input.UpdateExpression)),
  },
};
