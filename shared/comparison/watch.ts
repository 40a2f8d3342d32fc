import { z } from 'zod';
import { anyName, type Region } from '../name-schemas.ts';
import { type MainName, mainNames } from '../page-metrics.ts';
import { canPool, compareChecks, haveSameInputs } from './comparison.ts';
import { type CheckComparison, ReasonCode } from './schemas.ts';
import type { ComparedCheck } from './sides.ts';

/*
 * How the checks of a schedule are judged, for each of its regions. A check has regressed if the comparison with the pool gives
 * a main metric the verdict `regressed`. One such check may be chance, so that only the second in a row counts, and only if
 * both have a metric in common. While a page has regressed, the pool stays as it was, so that the page is back when it is
 * as good as before. On another machine, a page as usual goes on with the checks of that machine.
 */

/** Good checks with which the next one is compared. */
export const POOL_CHECKS = 5;
/** Checks in a row that make a change of a page certain enough for an event. */
const IN_A_ROW = 2;

/** Why a check has no verdict, or none about metrics with noise. `first`: no earlier one has the same inputs. */
export const UnjudgedReason = z.enum([...ReasonCode.options, 'first']);
export type UnjudgedReason = z.infer<typeof UnjudgedReason>;

const names = z.array(anyName<MainName>());

/** How a page of a schedule is in a region, as stored. */
export const WatchedPage = z.object({
  pool: z.array(z.uuid()), // ids of the last good checks, the newest first
  regressed: names, // metrics that had regressed at the last event. None if the page is as usual
  worse: names, // metrics that regressed in the last judged check
  back: z.int(), // checks in a row without a regression, while the page has regressed
  checkId: z.uuid(), // of the last check
  reason: anyName<UnjudgedReason>().nullable(),
});
export type WatchedPage = z.infer<typeof WatchedPage>;

/** A page that has changed: the metrics that count, and the checks with which the last one was compared. */
export type PageChanged = { type: 'page.regressed' | 'page.recovered'; metrics: MainName[]; pool: string[] };

type Judged = { page: WatchedPage; event?: PageChanged };

/**
 * Judges the next check of a page by the one before. `known` are the checks of the pool that still exist. An erased or
 * expired one leaves the pool. If none with the same inputs is left, the check begins a new pool.
 */
export const judgePage = (
  region: Region,
  check: ComparedCheck,
  before: WatchedPage | undefined,
  known: readonly ComparedCheck[],
): Judged => {
  const pool = (before?.pool ?? []).flatMap((id) => known.find((each) => each.id === id) ?? []);
  const own = check.runs.filter((run) => run.region === region && run.state === 'succeeded');
  const stays = { ...usual(check.id), ...before, pool: pool.map(({ id }) => id), checkId: check.id };
  if (own.length === 0) return { page: { ...stays, reason: 'failed' } };
  const alike = pool.filter((each) => haveSameInputs(each, check));
  const isBusy = own[0]?.environment?.contended === true;
  const compared = compareWithPool(region, check, alike);
  if (!compared) return { page: { ...usual(check.id), pool: [check.id], reason: isBusy ? 'contended' : 'first' } };
  const result = judgeCompared(compared, { ...stays, pool: alike.map(({ id }) => id) });
  const { page } = result;
  const isGood = page.regressed.length + page.worse.length === 0;
  // A busy machine has no times to compare with, so that its checks are in a pool only without others.
  if (!isGood || (isBusy && comparableIn(region, check, alike).length > 0)) return result;
  return { ...result, page: { ...page, pool: [check.id, ...page.pool].slice(0, POOL_CHECKS) } };
};

const usual = (checkId: string): WatchedPage => ({
  ...{ pool: [], regressed: [], worse: [], back: 0 },
  ...{ checkId, reason: 'first' },
});

const inRegion = (region: Region, check: ComparedCheck): ComparedCheck => ({
  ...check,
  runs: check.runs.filter((run) => run.region === region),
});

/** Returns the checks of a pool that a like machine made while it was not busy. */
const comparableIn = (region: Region, check: ComparedCheck, pool: readonly ComparedCheck[]): ComparedCheck[] =>
  pool.map((each) => inRegion(region, each)).filter((each) => canPool(inRegion(region, check), each));

/**
 * Compares the run of a region with those of a pool, the newest of which is the base. Without a comparable one, it compares with
 * the newest of all, which tells about the scores without noise. Returns undefined if the pool is empty.
 */
export const compareWithPool = (
  region: Region,
  check: ComparedCheck,
  pool: readonly ComparedCheck[],
): CheckComparison | undefined => {
  const [first, ...more] = comparableIn(region, check, pool);
  const base = first ?? (pool[0] && inRegion(region, pool[0]));
  return base && compareChecks(base, inRegion(region, check), { pool: more });
};

const judgeCompared = ({ metrics, reasons }: CheckComparison, before: WatchedPage): Judged => {
  const worse = mainNames.filter((name) => metrics[name].verdict === 'regressed');
  const page = { ...before, worse, reason: reasons[0]?.code ?? null };
  const watched = [...before.regressed, ...before.worse];
  const isUnknown = reasons.length > 0 && watched.some((name) => metrics[name]?.verdict === 'unknown');
  const isMoved = before.regressed.length === 0 && reasons.some(({ code }) => code === 'different-machine');
  if (worse.length === 0 && isUnknown) return { page: { ...page, worse: isMoved ? [] : before.worse } };
  return before.regressed.length > 0 ? judgeRegressed(page) : judgeUsual(page, before.worse);
};

const judgeUsual = (page: WatchedPage, earlier: readonly MainName[]): Judged => {
  const metrics = page.worse.filter((name) => earlier.includes(name));
  if (metrics.length === 0) return { page };
  return {
    page: { ...page, regressed: metrics, back: 0 },
    event: { type: 'page.regressed', metrics, pool: page.pool },
  };
};

const judgeRegressed = (page: WatchedPage): Judged => {
  const back = page.worse.length > 0 ? 0 : page.back + 1;
  if (back < IN_A_ROW) return { page: { ...page, back } };
  const event = { type: 'page.recovered' as const, metrics: page.regressed, pool: page.pool };
  return { page: { ...page, regressed: [], back: 0 }, event };
};
