import { setTimeout as pause } from 'node:timers/promises';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { allRegions } from '../../shared/regions.ts';
import type { RunView } from '../../shared/run.ts';
import { auditByCommandLine } from './arms.ts';
import { bundledFolder } from './bundled-folder.ts';
import { startHog } from './loads.ts';
import { median } from './numbers.ts';
import type { PageName, Pages } from './pages.ts';
import { scoreOf } from './reading.ts';
import { createCheck, finishedCheck, type Service, startService, succeededCheck } from './service.ts';

/** Audits a minute and scores, of audits one after another and of audits that were queued at once. */
export type ThroughputFigures = {
  page: PageName | 'small';
  alone: Load; // a check at a time
  queued: Queue; // all created at once
  besideHog: Queue; // the same, while another process uses one core for a third of the time
  commandLine: { perMinute: number; performance: number[] };
};
/** `slowest` is the longest time from a run's start to its end, as a multiple of the median. */
export type Queue = Load & { slowest: number };
export type Load = { perMinute: number; performance: number[]; failed: string[]; contended: number | null };

type Options = {
  pages: Pages;
  page: ThroughputFigures['page'];
  version: AuditVersion;
  short: boolean;
  log: (line: string) => void;
};

/** Number of single audits by each arm, and of queued checks. Each check has every region. */
const counts = { alone: 6, commandLine: 4, checks: 2 };
const shortCounts = { alone: 2, commandLine: 2, checks: 1 };
const POLL_MS = 1000; // polling more often takes CPU from the audits
const IDLE_MS = 1500;
const LIMIT_MS = 10 * 60_000;

/** Measures single audits of the service and of the command line in turn. Then queues audits in another service. */
export const measureThroughput = async (options: Options): Promise<ThroughputFigures> => {
  const { alone, commandLine } = await measureAlone(options);
  const queued = queueFigures(await measureQueue(options));
  const hog = startHog();
  const besideHog = queueFigures(await measureQueue(options).finally(hog.end));
  const waited = alone.reduce((sum, run) => sum + Date.parse(run.finishedAt ?? '') - Date.parse(run.createdAt), 0);
  return {
    page: options.page,
    alone: figuresOf(alone, waited),
    queued,
    besideHog,
    commandLine: {
      perMinute: (60 * commandLine.length) / commandLine.reduce((sum, { seconds }) => sum + seconds, 0),
      performance: commandLine.map(({ performance }) => performance),
    },
  };
};

const measureAlone = async ({ pages, page, version, short, log }: Options) => {
  const count = short ? shortCounts : counts;
  const pageUrl = pages.url(page);
  const dataDir = await bundledFolder();
  const auditWithCommandLine = auditByCommandLine(dataDir);
  await using service = await startService(dataDir);
  log('warm-up: one audit per arm');
  await runAlone(service, pageUrl, version);
  await auditWithCommandLine({ pageUrl, version });

  const alone: RunView[] = [];
  const commandLine: { seconds: number; performance: number }[] = [];
  for (let i = 0; i < count.alone; i++) {
    await pause(IDLE_MS);
    alone.push(...(await runAlone(service, pageUrl, version)));
    log(`throughput: alone ${i + 1}/${count.alone}: performance ${alone.at(-1)?.performance}`);
    if (i >= count.commandLine) continue;
    const { seconds, report } = await auditWithCommandLine({ pageUrl, version });
    commandLine.push({ seconds, performance: scoreOf(report, 'performance') });
    log(`throughput: command line ${i + 1}/${count.commandLine}: ${seconds.toFixed(1)} s`);
  }
  return { alone, commandLine };
};

const measureQueue = async ({ pages, page, version, short, log }: Options): Promise<RunView[]> => {
  const { checks } = short ? shortCounts : counts;
  const body = { url: pages.url(page), auditVersion: version, regions: allRegions };
  await using service = await startService(await bundledFolder());
  await runAlone(service, body.url, version); // warm-up, as in the other arms
  const ids = await Promise.all(Array.from({ length: checks }, () => createCheck(service, body)));
  log(`throughput: ${checks * allRegions.length} runs are queued`);
  const queued: RunView[] = [];
  for (const id of ids) {
    queued.push(...(await finishedCheck(service, id, { pollMs: POLL_MS, limitMs: LIMIT_MS })).runs);
  }
  log('throughput: all are finished');
  return queued;
};

const runAlone = async (service: Service, url: string, auditVersion: AuditVersion): Promise<RunView[]> =>
  (await succeededCheck(service, { url, auditVersion, regions: ['us-west1'] }, { pollMs: POLL_MS })).runs;

/** Returns the figures of runs. Failed runs count in the time but have no score. */
const figuresOf = (runs: readonly RunView[], milliseconds: number): Load => ({
  perMinute: (60_000 * runs.filter(({ state }) => state === 'succeeded').length) / milliseconds,
  performance: runs.flatMap((run) => run.performance ?? []),
  failed: runs.flatMap(({ error }) => error?.code ?? []),
  contended: countContended(runs),
});

const queueFigures = (runs: readonly RunView[]): Queue => {
  const ended = Math.max(...runs.map(({ finishedAt }) => Date.parse(finishedAt ?? '')));
  const created = Math.min(...runs.map(({ createdAt }) => Date.parse(createdAt)));
  const times = runs.map(({ startedAt, finishedAt }) => Date.parse(finishedAt ?? '') - Date.parse(startedAt ?? ''));
  return { ...figuresOf(runs, ended - created), slowest: Math.max(...times) / median(times) };
};

/** Counts the contended runs. Returns null if no run knows. */
const countContended = (runs: readonly RunView[]): number | null => {
  const known = runs.flatMap(({ environment }) => {
    const { contended } = (environment ?? {}) as { contended?: boolean };
    return contended ?? [];
  });
  return known.length === 0 ? null : known.filter(Boolean).length;
};
