import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { allRegions } from '../../shared/regions.ts';
import type { RunView } from '../../shared/run.ts';
import { bundledFolder } from './bundled-folder.ts';
import type { BusyPage } from './busy-pages.ts';
import { median, table } from './numbers.ts';
import type { PageName, Pages } from './pages.ts';
import { createCheck, finishedCheck, type Service, startService } from './service.ts';

/** How audits ran: one after another, or twelve that were queued at once with one or two timed parts at once. */
const ways = ['alone', 'one at once', 'two at once'] as const;
type Way = (typeof ways)[number];
type QueuedAudit = {
  way: Way;
  page: AtOncePage;
  score: number | null;
  tbtMs: number;
  fcpMs: number;
  corrected: boolean;
};
/** The audits, and the load average before each queue. `mayRaise` is false if sessions could not get a higher share. */
export type AtOnceFigures = {
  audits: QueuedAudit[];
  queues: { way: Way; perMinute: number; failed: number; load: number }[];
  mayRaise: boolean;
};

/** Pages of the queue. They differ in their work, and none has two kinds of results. */
const atOncePages = ['static', 'task250', 'tasks', 'app', 'images', 'xhr'] as const satisfies (BusyPage | PageName)[];
type AtOncePage = (typeof atOncePages)[number];

const POLL_MS = 1000; // polling more often takes CPU from the audits
const IDLE_MS = 1500;
const AUDITS_OF_PAGE = 2;

type Options = { pages: Pages; version: AuditVersion; rounds: number; log: (line: string) => void };

/** Measures single audits, and queues with one and with two timed parts at once, by turns. */
export const measureAtOnce = async ({ pages, version, rounds, log }: Options): Promise<AtOnceFigures> => {
  const figures: AtOnceFigures = { audits: [], queues: [], mayRaise: mayRaise() };
  for (let round = 0; round < rounds; round++) {
    for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
      const load = loadavg()[0] ?? Number.NaN;
      await using service = await startService(await bundledFolder(), {
        TIMED_AT_ONCE: way === 'two at once' ? '2' : '1',
      });
      const audit = auditWith(service, version);
      await audit(pages.url('static'), 1); // warm-up
      const auditPage = async (page: AtOncePage, count: number) => {
        const runs = await audit(pages.url(page), count);
        figures.audits.push(
          ...runs.flatMap((run) => (run.state === 'succeeded' ? { way, page, ...inShort(run) } : [])),
        );
        return runs;
      };
      if (way === 'alone') {
        for (const page of atOncePages.flatMap((each) => Array<AtOncePage>(AUDITS_OF_PAGE).fill(each))) {
          await pause(IDLE_MS);
          await auditPage(page, 1);
        }
      } else {
        await pause(IDLE_MS);
        const runs = (await Promise.all(atOncePages.map((page) => auditPage(page, AUDITS_OF_PAGE)))).flat();
        figures.queues.push({ way, load, ...speedOf(runs) });
      }
      log(`at once ${round + 1}/${rounds}: ${way}, load ${load}`);
    }
  }
  return figures;
};

const auditWith = (service: Service, auditVersion: AuditVersion) => async (url: string, count: number) => {
  const id = await createCheck(service, { url, auditVersion, regions: allRegions.slice(0, count) });
  return (await finishedCheck(service, id, { pollMs: POLL_MS })).runs;
};

const inShort = ({ performance, tbt, fcp, environment }: RunView) => ({
  score: performance,
  tbtMs: Number.parseFloat(tbt ?? ''),
  fcpMs: Number.parseFloat(fcp ?? ''),
  corrected: environment?.corrected === true,
});

const speedOf = (runs: readonly RunView[]) => {
  const succeeded = runs.filter(({ state }) => state === 'succeeded').length;
  const created = Math.min(...runs.map(({ createdAt }) => Date.parse(createdAt)));
  const ended = Math.max(...runs.map(({ finishedAt }) => Date.parse(finishedAt ?? '')));
  return { perMinute: (60_000 * succeeded) / (ended - created), failed: runs.length - succeeded };
};

const CAP_SYS_NICE = 1n << 23n;
/** Returns true if this process may raise a session above others. */
const mayRaise = (): boolean => {
  const capabilities = /^CapEff:\s+(\w+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return (BigInt(`0x${capabilities ?? 0}`) & CAP_SYS_NICE) !== 0n;
};

export const atOnceTables = ({ audits, queues, mayRaise }: AtOnceFigures): string => {
  const cells = (of: (audits: QueuedAudit[]) => string) => (page: AtOncePage) =>
    ways.map((way) => of(audits.filter((each) => each.page === page && each.way === way)));
  const medianOf = (name: 'score' | 'tbtMs' | 'fcpMs') => (of: QueuedAudit[]) => {
    const values = of.flatMap((each) => each[name] ?? []);
    return `${median(values).toFixed(0)} (${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)})`;
  };
  const tableOf = (title: string, of: (audits: QueuedAudit[]) => string) =>
    table(
      [title, ...ways],
      atOncePages.map((page) => [page, ...cells(of)(page)]),
    );
  return [
    `Queues of ${atOncePages.length * AUDITS_OF_PAGE} audits by turns. The service ${mayRaise ? 'may' : 'may not'} raise the share of a timed part.`,
    table(
      ['queue', 'audits a minute', 'failed', 'load average before'],
      queues.map(({ way, perMinute, failed, load }) => [way, perMinute.toFixed(1), `${failed}`, load.toFixed(1)]),
    ),
    'Medians, and the smallest and the largest value:',
    tableOf('performance', medianOf('score')),
    tableOf('TBT in milliseconds', medianOf('tbtMs')),
    tableOf('FCP in milliseconds', medianOf('fcpMs')),
    tableOf('corrected', (of) => `${of.filter(({ corrected }) => corrected).length} of ${of.length}`),
  ].join('\n\n');
};
