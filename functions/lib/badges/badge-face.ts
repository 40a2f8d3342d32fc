import { BADGE_SECONDS, type BadgeFields, MAX_BADGE_DAYS, type ShieldsBadge } from '../../../shared/badges.ts';
import { gradeOfScore, namesOfKind, pageMetric, pageMetrics } from '../../../shared/metrics/page-metrics.ts';
import type { ListedRun } from '../store/lists.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Colours of badges, as badge-maker and shields.io name them. */
const colors = { pass: 'brightgreen', work: 'orange', poor: 'red', none: 'lightgrey' } as const;

type Category = BadgeFields['category'];

/** Returns the metric with the score of a category. */
const scoreOf = (category: Category) =>
  namesOfKind('score').find((name) => pageMetrics[name].category === category) ?? 'performance';

/** Returns true for a run whose score counts. Other programs that use the CPU change the performance score. */
const isMeasured = (category: Category) => (run: ListedRun) =>
  run.state === 'succeeded' && !(category === 'performance' && run.contended);

/** Returns the newest runs that a badge shows: those of one check, in each of its regions. */
export const newestMeasured = (runs: readonly ListedRun[], category: Category): ListedRun[] => {
  const measured = runs.filter(isMeasured(category));
  return measured.filter(({ checkId }) => checkId === measured[0]?.checkId);
};

/** Returns the texts and the colour of a badge. `runs` are those that match the badge, the newest first. */
export const badgeFace = (runs: readonly ListedRun[], category: Category, now: Date): ShieldsBadge => {
  const score = scoreOf(category);
  const face = (message: string, grade: keyof typeof colors): ShieldsBadge => ({
    schemaVersion: 1,
    label: pageMetric(score).title.toLowerCase(),
    message,
    color: colors[grade],
    isError: grade === 'none',
    cacheSeconds: BADGE_SECONDS,
  });
  const [newest] = runs;
  if (!newest) return face('no result', 'none');
  const isOld = ({ createdAt }: ListedRun) => now.getTime() - Date.parse(createdAt) > MAX_BADGE_DAYS * DAY_MS;
  const old = `older than ${MAX_BADGE_DAYS} days`;
  if (isOld(newest)) return face(old, 'none');
  const ofCheck = runs.filter(({ checkId }) => checkId === newest.checkId);
  if (ofCheck.every(({ state }) => state === 'failed')) return face('failed', 'none');
  const shown = newestMeasured(runs, category);
  if (shown.length === 0) return face('the machine was busy', 'none');
  if (shown.every(isOld)) return face(old, 'none');
  const scores = shown.flatMap((run) => run[score] ?? []);
  if (scores.length === 0) return face('not measured', 'none');
  const lowest = Math.min(...scores);
  return face(String(lowest), gradeOfScore(lowest));
};
