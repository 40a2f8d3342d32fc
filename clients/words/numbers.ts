import { type JudgedName, judgedMetric } from '../../shared/interactions/metrics.ts';
import {
  gradeOfScore,
  type MetricName,
  metricNames as namesInApi,
  namesOfKind,
  pageMetric,
  pageMetrics,
  type valueNames,
} from '../../shared/metrics/page-metrics.ts';
import { recordOf } from '../../shared/record.ts';
import type { RunView } from '../../shared/run.ts';
import { grouped } from '../../shared/text.ts';

type ScoreName = Exclude<MetricName, (typeof valueNames)[number]>;
export type Measured = Pick<RunView, ScoreName | 'numericValues'>;
/** A value as the API shows it: a score, a time such as `"633ms"`, or another number. */
export type ShownValue = string | number | null;
export type Range = { min: ShownValue; max: ShownValue } | null | undefined;
/** `none`: Lighthouse has no limits for the metric. */
export type Grade = 'pass' | 'work' | 'poor' | 'unknown' | 'none';

/** The metrics, in the order of the tables. */
export const metrics: readonly MetricName[] = namesInApi.toSorted(
  (a, b) => pageMetrics[a].place - pageMetrics[b].place,
);
export const metricNames = recordOf(namesInApi, (name) => pageMetrics[name].title);
/** The short name of each metric, or its name. */
export const labels = recordOf(namesInApi, (name) => pageMetric(name).shortTitle ?? pageMetrics[name].title);
/** Metrics that people look at first. */
export const mainMetrics = metrics.filter((name) => pageMetrics[name].isMain);
export const scores: readonly ScoreName[] = namesOfKind('score').toSorted(
  (a, b) => pageMetrics[a].place - pageMetrics[b].place,
);

/**
 * Returns metrics in the order of a table with these regions as columns. Simulated times hide the network of a region, so
 * the metrics that show it come first.
 */
export const orderedFor = (regions: readonly unknown[], names: readonly MetricName[]): readonly MetricName[] => {
  const showsNetwork = (name: MetricName) => pageMetrics[name].dependsOn === 'network';
  return regions.length > 1 ? names.toSorted((a, b) => Number(showsNetwork(b)) - Number(showsNetwork(a))) : names;
};

export const isScore = (name: MetricName): name is ScoreName => pageMetrics[name].kind === 'score';

export const gradeWords = { pass: 'good', work: 'needs work', poor: 'poor', unknown: 'unknown', none: '' };
export const gradeSigns = { pass: '●', work: '■', poor: '▲', unknown: '○', none: '' };

export const gradeOf = (name: JudgedName, value: number | null, device: RunView['device']): Grade => {
  const { kind, limits } = judgedMetric(name);
  if (value === null) return 'unknown';
  if (kind === 'score') return gradeOfScore(value);
  if (!limits) return 'none';
  const [good, poor] = limits[device];
  return value <= good ? 'pass' : value <= poor ? 'work' : 'poor';
};

/** Share of a bar at the limit of a poor value. */
const POOR_SHARE = 0.7;

/** Returns how much of its bar a value fills, from 0 to 1. The limits of the metric scale the bar. A metric without limits has none. */
export const barShare = (name: JudgedName, value: number, device: RunView['device']): number | undefined => {
  const poor = judgedMetric(name).limits?.[device]?.[1];
  return poor === undefined ? undefined : Math.min(1, (POOR_SHARE * value) / poor);
};

/** Returns the value of a metric as a number: a time in milliseconds, or a score. */
export const numberOf = (run: Measured, name: MetricName): number | null =>
  isScore(name) ? run[name] : run.numericValues[name];

/** Returns the milliseconds of a time such as `"633ms"`, and other values as they are. */
export const plain = (value: ShownValue | undefined): number | null =>
  typeof value === 'string' ? Number.parseFloat(value) : (value ?? null);

const shift = (value: number) => (value === 0 ? '0' : value < 0.01 ? value.toFixed(3) : value.toFixed(2));

type Unit = { from: number; name: string; digits: number };
/** Units by kind, each with the value from which it is used. The smallest is first. */
const units: Readonly<Record<'time' | 'bytes', readonly [Unit, ...Unit[]]>> = {
  time: [
    { from: 1, name: 'ms', digits: 0 },
    { from: 1000, name: 's', digits: 1 },
  ],
  bytes: [
    { from: 1, name: 'B', digits: 0 },
    { from: 1024, name: 'KiB', digits: 0 },
    { from: 1024 * 1024, name: 'MiB', digits: 1 },
  ],
};

/** Returns the unit of a value, and how to format it and other values in that unit. */
export const scaleOf = (kind: keyof typeof units, value: number) => {
  const { from, name, digits } = units[kind].findLast((unit) => Math.abs(value) >= unit.from) ?? units[kind][0];
  return { unit: name, format: (each: number) => (each / from).toFixed(digits) };
};

/** Returns a value with its unit. Scores, CLS and counts have none. */
export const textOf = (name: JudgedName, value: number): string => {
  const { kind } = judgedMetric(name);
  if (kind === 'shift') return shift(value);
  if (kind === 'score') return `${Math.round(value)}`;
  if (kind === 'count') return grouped(Math.round(value));
  const { unit, format } = scaleOf(kind, value);
  return `${format(value)} ${unit}`;
};

/** Returns a value as a comparison or a sample has it, with its unit. */
export const textOrDash = (name: JudgedName, value: ShownValue | undefined): string => {
  const number = plain(value);
  return number === null ? '–' : textOf(name, number);
};

/** Returns the range of the samples in the unit of the value, or nothing if its ends look the same. */
export const spreadText = (name: JudgedName, value: number, spread: Range): string => {
  if (!spread) return '';
  const { kind } = judgedMetric(name);
  const inUnit =
    kind === 'time' || kind === 'bytes' ? scaleOf(kind, value).format : (each: number) => textOf(name, each);
  const [min, max] = [inUnit(plain(spread.min) ?? 0), inUnit(plain(spread.max) ?? 0)];
  return min === max ? '' : `(${min}–${max})`;
};

export const counted = (count: number, noun: string) => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
