import type { OpenRun } from '../../functions/lib/store/open.ts';
import type { Region } from '../../shared/regions.ts';

type Readable = Extract<OpenRun, { run: object }>['run'];
type Unreadable = Extract<OpenRun, { unreadable: string }>;

export const headings = [
  'REGION',
  'STATE',
  'AGE',
  'SENT',
  'ATTEMPTS',
  'LOST',
  'LEASE',
  'DUE',
  'OWNER',
  'CHECK AND RUN',
];

/** Returns a row of text for each open run of a region, oldest first. Unreadable items come before all others. */
export const rowsOf = (region: Region, open: readonly OpenRun[], now: Date): string[][] =>
  open
    .toSorted((a, b) => createdAt(a).localeCompare(createdAt(b)))
    .map((each) => ('run' in each ? rowOf(each.run, now) : unreadableRow(region, each, now)));

const createdAt = (each: OpenRun): string => ('run' in each ? each.run.createdAt : '');

const rowOf = (run: Readable, now: Date): string[] => {
  const { attempts, lease, dueAt } = run;
  const code = attempts.at(-1)?.code;
  return [
    run.region,
    run.state,
    duration(now.getTime() - Date.parse(run.createdAt)),
    `${run.sends}`,
    code ? `${attempts.length} (${code})` : `${attempts.length}`,
    `${run.lostLeases}`,
    lease ? relative(lease.until, now) : 'none',
    dueAt ? relative(dueAt, now) : 'never',
    run.owner,
    `${run.checkId} ${run.id}`,
  ];
};

const unreadableRow = (region: Region, { unreadable, dueAt }: Unreadable, now: Date): string[] => {
  const unknown = '?';
  const times = [unknown, unknown, unknown, unknown, unknown, relative(dueAt, now)];
  return [region, 'unreadable', ...times, unknown, unreadable];
};

const relative = (time: string, now: Date): string => {
  const ms = Date.parse(time) - now.getTime();
  return ms >= 0 ? `in ${duration(ms)}` : `${duration(-ms)} ago`;
};

const duration = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 48 * 3600 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
};
