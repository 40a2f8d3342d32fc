import { z } from 'zod';
import type { Locations } from '../comparison/series.ts';
import { type PagePoint, type Steps, withNewSteps } from '../comparison/since.ts';
import type { Location } from '../comparison/steps.ts';
import { type MainName, mainNames, pageMetric } from '../metrics/page-metrics.ts';
import { recordOf } from '../record.ts';

/*
 * The checks of a page that its list knows, as the table stores them: a column for each fact. Values are whole numbers of a
 * small part of a change that counts. So 76 checks take about as much room as one full result.
 */

/** A check of a page, and when its entry expires, in seconds. */
export type StoredPoint = PagePoint & { isFailed: boolean; expiresAt: number };

/** Newest checks that are kept, and checks in all. Before the newest, each day has one check, and so has each step. */
const [NEWEST, MOST] = [46, 76];
/** Newest checks whose ids are kept. A step is found within six checks. */
const WITH_ID = 7;
const DAY_MS = 24 * 3600 * 1000;

type Numbers = number[];
type Values = (number | null)[];

/** Texts, of which most are equal: each once, and its place for each check. */
type Texts = { texts: string[]; of: Numbers };

type StoredSeries = {
  at: Numbers; // the first time, and the distance of each other from the one before
  lives: Numbers; // seconds from a check to the end of its entry
  failed: Numbers;
  inputs: Texts;
  machines: Texts;
  ids: [place: number, checkId: string][];
  metrics: Partial<Record<MainName, { least: number; locations: Values; deviations: Values }>>;
  steps: Partial<Record<MainName, Numbers>>; // places of the first checks after each step
};

/** Checks the columns as a whole, because a list reads a million of their numbers. */
export const StoredSeries = z.custom<StoredSeries>((value) => {
  const { at, lives, failed, machines, inputs, ids, metrics, steps } = (value ?? {}) as Partial<StoredSeries>;
  const columns = [at, lives, failed, machines?.of, inputs?.of];
  const ofMetrics = Object.values(metrics ?? {}).flatMap(({ locations, deviations }) => [locations, deviations]);
  const isColumn = (column: unknown) => Array.isArray(column) && column.length === at?.length;
  const lists = [ids, machines?.texts, inputs?.texts];
  return [...columns, ...ofMetrics].every(isColumn) && lists.every(Array.isArray) && Boolean(metrics && steps);
});

export type PageSeries = { points: readonly StoredPoint[]; steps: Steps };
export const noSeries: PageSeries = { points: [], steps: {} };

/** Returns the series of a page with another check, in the order of time. A check that closes late adds no step. */
export const seriesWith = ({ points, steps }: PageSeries, added: StoredPoint): PageSeries => {
  const others = points.filter(({ at }) => at !== added.at);
  const all = [...others, added].sort((a, b) => a.at - b.at);
  return thinned({ points: all, steps: all.at(-1) === added ? withNewSteps(all, steps) : steps });
};

/** Returns the series of a page without the check of a time. A step that it began begins with the next one. */
export const seriesWithout = ({ points, steps }: PageSeries, time: number): PageSeries => {
  const left = points.filter(({ at }) => at !== time);
  const next = left.find(({ at }) => at > time);
  const moved = (times: readonly number[]) => times.flatMap((each) => (each === time ? (next?.at ?? []) : each));
  return { points: left, steps: mapValues(steps, (times) => [...new Set(moved(times))]) };
};

const mapValues = <From, To>(record: Partial<Record<MainName, From>>, change: (value: From) => To) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)])) as Partial<
    Record<MainName, To>
  >;

/** Drops points that the series does not need, and ids that no step needs. */
const thinned = ({ points, steps }: PageSeries): PageSeries => {
  const times = new Set(Object.values(steps).flat());
  const ofSteps = new Set(points.flatMap((each, i) => (times.has(each.at) ? [each, points[i - 1]] : [])));
  const newest = points.at(-1);
  const isUsable = ({ inputs, locations }: StoredPoint) =>
    inputs === newest?.inputs && Object.keys(locations).length > 0;
  const isNeeded = (each: StoredPoint, i: number): boolean => {
    if (i >= points.length - NEWEST || ofSteps.has(each)) return true;
    const next = points.slice(i + 1).find(isUsable);
    return isUsable(each) && (!next || dayOf(next) !== dayOf(each));
  };
  const kept = points.filter(isNeeded).slice(-MOST);
  const first = kept[0]?.at ?? 0;
  const hasId = (each: StoredPoint, i: number) => i >= kept.length - WITH_ID || ofSteps.has(each);
  return {
    points: kept.map((each, i) => (hasId(each, i) ? each : { ...each, checkId: null })),
    steps: mapValues(steps, (all) => all.filter((time) => time > first)),
  };
};

const dayOf = ({ at }: PagePoint): number => Math.floor(at / DAY_MS);

/** Part of a metric's value that a stored number counts. */
const units = recordOf(mainNames, (name) => {
  const { kind, smallest } = pageMetric(name);
  return kind === 'score' ? 0.25 : smallest.difference / 25;
});

/** Stored deviations are logarithms, because only their average counts. */
const STEPS_A_DOUBLE = 2;

export const packedSeries = ({ points, steps }: PageSeries): StoredSeries => {
  const placeOf = new Map(points.map(({ at }, i) => [at, i]));
  return {
    at: points.map(({ at }, i) => at - (points[i - 1]?.at ?? 0)),
    lives: points.map(({ at, expiresAt }) => expiresAt - Math.floor(at / 1000)),
    failed: points.map(({ isFailed }) => Number(isFailed)),
    inputs: packedTexts(points.map(({ inputs }) => inputs)),
    machines: packedTexts(points.map(({ machine }) => machine)),
    ids: points.flatMap(({ checkId }, i) => (checkId === null ? [] : [[i, checkId] as [number, string]])),
    metrics: Object.fromEntries(mainNames.flatMap((name) => packedMetric(name, points))),
    steps: mapValues(steps, (times) => times.flatMap((time) => placeOf.get(time) ?? [])),
  };
};

const packedTexts = (of: readonly string[]): Texts => {
  const texts = [...new Set(of)];
  return { texts, of: of.map((text) => texts.indexOf(text)) };
};

const packedMetric = (name: MainName, points: readonly StoredPoint[]) => {
  const unit = units[name];
  const of = points.map(({ locations }) => locations[name]);
  const counts = of.map((location) => location && Math.round(location[0] / unit));
  const known = counts.filter((count) => count !== undefined);
  if (known.length === 0) return [];
  const least = Math.min(...known);
  const deviationOf = ([, within]: Location) =>
    within === null ? null : Math.max(0, Math.round(STEPS_A_DOUBLE * Math.log2(1 + Math.sqrt(within) / unit)));
  return [
    [
      name,
      {
        least,
        locations: counts.map((count) => (count === undefined ? null : count - least)),
        deviations: of.map((location) => (location ? deviationOf(location) : null)),
      },
    ] as const,
  ];
};

/** Returns a series with the values of some metrics, by default of all. */
export const unpackedSeries = (
  { at, lives, failed, machines, inputs, ids, metrics, steps }: StoredSeries,
  names: readonly MainName[] = mainNames,
): PageSeries => {
  const idOf = new Map(ids);
  let time = 0;
  const points = at.map((gap, i): StoredPoint => {
    time += gap;
    return {
      at: time,
      checkId: idOf.get(i) ?? null,
      inputs: textAt(inputs, i),
      machine: textAt(machines, i),
      locations: unpackedLocations(metrics, names, i),
      isFailed: failed[i] === 1,
      expiresAt: Math.floor(time / 1000) + (lives[i] ?? 0),
    };
  });
  const timesOf = (places: readonly number[]) => places.flatMap((place) => points[place]?.at ?? []);
  return { points, steps: mapValues(steps, timesOf) };
};

const textAt = ({ texts, of }: Texts, i: number): string => texts[of[i] ?? 0] ?? '';

const unpackedLocations = (metrics: StoredSeries['metrics'], names: readonly MainName[], i: number): Locations => {
  const locations: Locations = {};
  for (const name of names) {
    const of = metrics[name];
    const count = of?.locations[i] ?? null;
    if (!of || count === null) continue;
    const [unit, deviation] = [units[name], of.deviations[i] ?? null];
    const within = deviation === null ? null : ((2 ** (deviation / STEPS_A_DOUBLE) - 1) * unit) ** 2;
    locations[name] = [(of.least + count) * unit, within];
  }
  return locations;
};
