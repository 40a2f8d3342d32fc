import type { Lease } from '../../functions/lib/store/leases.ts';
import type { Answer, Item, TableCall } from './embedded-table.ts';
import { plain } from './embedded-table.ts';
import type { Parts } from './functions.ts';

/** A defect of the service that the simulation must find. */
export type Defect = {
  /** Matches the report of the simulation. */
  found: RegExp;
  /** A seed that finds the defect, or comes just before one. `FULL=1` begins at seed 1. */
  seed: number;
  /** Changes the parts of a process when it starts. */
  wrap?: (parts: Parts) => void;
  /** Returns true if the table drops this call, and answers as if it had made the change. */
  drops?: (call: TableCall, key: Item) => boolean;
};

export const plantedDefects: Readonly<Record<string, Defect>> = {
  'a holder that writes without its lease': {
    found: /after it had lost its lease/,
    seed: 7,
    wrap: ({ leases, store }) => {
      const { renew, recordAttempt, finish } = leases;
      const asHolder = async (lease: Lease): Promise<Lease> => {
        const run = await store.findRun(lease.run);
        return { ...lease, id: run?.lease?.id ?? lease.id };
      };
      leases.renew = async (lease, ...more) => renew(await asHolder(lease), ...more);
      leases.recordAttempt = async (lease, ...more) => recordAttempt(await asHolder(lease), ...more);
      leases.finish = async (lease, ...more) => finish(await asHolder(lease), ...more);
    },
  },
  'a claim that ignores a live lease': {
    found: /two holders of a lease/,
    seed: 3,
    wrap: ({ leases }) => {
      const { claim } = leases;
      leases.claim = (run, id, now) => {
        const until = run.lease ? Date.parse(run.lease.until) + 1 : 0;
        return claim(run, id, new Date(Math.max(now.getTime(), until))); // as if the lease had ended
      };
    },
  },
  'a report that is stored after the run has succeeded': {
    found: /succeeded without a stored report/,
    seed: 1,
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
    seed: 1,
    drops: ({ operation }, { pk }) => operation === 'DeleteItem' && pk.startsWith('RUN#'),
  },
  'entries of series that are not erased': {
    found: /the entry .* is left of a check that is gone/,
    seed: 1,
    drops: ({ operation }, { sk }) => operation === 'DeleteItem' && sk.startsWith('TREND#'),
  },
  'entries of series that nobody fills': {
    found: /the entry .* of a closed check is empty/,
    seed: 1,
    drops: ({ operation }, { sk }) => operation === 'UpdateItem' && sk.startsWith('TREND#'),
  },
  'a lost lease that nobody looks at again': {
    found: /nobody looks at/,
    seed: 3,
    wrap: ({ due }) => {
      const { hold } = due;
      due.hold = async (item, now) => {
        const held = await hold(item, now);
        return held && 'run' in held && held.run.lease ? undefined : held;
      };
    },
  },
  'a check that nobody closes': {
    found: /nobody closed/,
    seed: 9,
    wrap: ({ store }) => {
      store.closeIfFinished = async () => false; // the sweeper believes that a run is still at work
    },
  },
  'a count that is not given back': {
    found: /counts as open|got 429/,
    seed: 1,
    drops: ({ operation, input }, { pk }) =>
      operation === 'UpdateItem' && pk.startsWith('OWNER#') && /^REMOVE /.test(input.UpdateExpression as string),
  },
};

export const droppedAnswer: Answer = {
  status: 200,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: Buffer.from('{}'),
};

export const keyOfCall = ({ input }: TableCall): Item => plain({ M: input.Key ?? input.Item ?? {} }) as Item;
