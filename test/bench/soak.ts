import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { allRegions } from '../../shared/regions.ts';
import type { RunView } from '../../shared/run.ts';
import { commandOf, descendantsOf, residentOf, startedWith } from '../support/processes.ts';
import { bundledFolder } from './bundled-folder.ts';
import { auditorsOf } from './memory.ts';
import { type PageName, type Pages, pageNames } from './pages.ts';
import { createCheck, finishedCheck, since, startService, succeededCheck } from './service.ts';

/** Result of many audits. `memory` is the RSS of the service process in MiB. The service is idle before and after. */
export type SoakFigures = {
  runs: number;
  minutes: number;
  nulls: string[]; // null fields of succeeded runs, as `version page field`
  failed: string[]; // `version page code`
  failedAttempts: string[]; // as `version page code`
  retaken: string[]; // runs with a retaken sample, as `version page`
  contended: string[]; // runs that are contended after all retakes
  leftOver: { idle: string[]; stopped: string[] }; // processes and folders, while the service is idle and after its stop
  memory: { before: number; after: number; peak: number };
};

type Options = {
  pages: Pages;
  names: readonly PageName[];
  versions: readonly AuditVersion[];
  runs: number;
  log: (line: string) => void;
};

const LOG_EVERY = 10;
const POLL_MS = 1000;
const RUN_LIMIT_MS = 120_000;
const SETTLE_MS = 5000; // the last auditor exits, and the next one starts

/** Queues runs of all pages in all versions at once. Measures what is left when the last one is finished. */
export const measureSoak = async ({ pages, names, versions, runs: count, log }: Options): Promise<SoakFigures> => {
  const dataDir = await bundledFolder();
  await using service = await startService(dataDir);
  const bodies = Array.from({ length: count }, (_, i) => ({
    url: pages.url(names[i % names.length] ?? pageNames[0] ?? 'static'),
    auditVersion: versions[Math.floor(i / names.length) % versions.length],
    regions: [allRegions[i % allRegions.length]],
  }));
  log('warm-up: one audit');
  await succeededCheck(service, bodies[0] ?? {});
  await pause(SETTLE_MS);
  const before = residentOf(service.pid, 'VmRSS');
  const foldersBefore = new Set(readdirSync(dataDir));

  const startedAt = performance.now();
  const ids: string[] = [];
  for (const body of bodies) ids.push(await createCheck(service, body));
  log(`soak: ${count} runs are queued`);
  const runs: RunView[] = [];
  for (const id of ids) {
    runs.push(...(await finishedCheck(service, id, { pollMs: POLL_MS, limitMs: count * RUN_LIMIT_MS })).runs);
    if (runs.length % LOG_EVERY > 0 && runs.length < count) continue;
    const failures = runs.filter(({ state }) => state === 'failed').length;
    log(`soak ${runs.length}/${count}: ${failures} failed, RSS ${residentOf(service.pid, 'VmRSS').toFixed(0)} MiB`);
  }
  const minutes = since(startedAt) / 60;

  await pause(SETTLE_MS);
  const idle = remainsWhileIdle(service.pid, dataDir, foldersBefore);
  const memory = { before, after: residentOf(service.pid, 'VmRSS'), peak: residentOf(service.pid, 'VmHWM') };
  await service.stop();
  const stopped = [...startedWith(dataDir).map(commandOf), ...workFolders(dataDir)];
  return {
    runs: runs.length,
    minutes,
    nulls: runs.flatMap(nullsOf),
    failed: runs.flatMap((run) => (run.error ? `${nameOf(run)} ${run.error.code}` : [])),
    failedAttempts: runs.flatMap((run) => run.attempts.flatMap(({ code }) => (code ? `${nameOf(run)} ${code}` : []))),
    retaken: runs.filter(({ attempts }) => attempts.filter(({ code }) => !code).length > 1).map(nameOf),
    contended: runs.filter(({ environment }) => environment?.contended).map(nameOf),
    leftOver: { idle, stopped },
    memory,
  };
};

/** Returns all processes and folders, except the one idle auditor, its browser and its folder. */
const remainsWhileIdle = (service: number, dataDir: string, foldersBefore: ReadonlySet<string>): string[] => {
  const [waiting] = auditorsOf(service);
  const all = new Set([...descendantsOf(service).map(({ pid }) => pid), ...startedWith(dataDir)]);
  const expected = waiting ? [service, waiting, ...descendantsOf(waiting).map(({ pid }) => pid)] : [service];
  const processes = [...all].filter((pid) => !expected.includes(pid)).map(commandOf);
  const audits = workFolders(dataDir);
  const others = readdirSync(dataDir).filter((name) => !audits.includes(name) && !foldersBefore.has(name));
  return [...processes, ...audits.slice(waiting ? 1 : 0), ...others];
};

/** Returns the names of the auditors' work folders. */
const workFolders = (dataDir: string): string[] =>
  readdirSync(dataDir).filter((name) => name.startsWith('page-audit-'));

const FIELDS = [
  'performance',
  'accessibility',
  'bestPractices',
  'seo',
  'fcp',
  'si',
  'lcp',
  'tti',
  'tbt',
  'cls',
] as const;

const nullsOf = (run: RunView): string[] =>
  run.state === 'succeeded'
    ? FIELDS.filter((field) => run[field] === null).map((field) => `${nameOf(run)} ${field}`)
    : [];

const nameOf = ({ auditVersion, url }: RunView): string =>
  `${auditVersion} ${new URL(url).pathname.replaceAll('/', '')}`;
