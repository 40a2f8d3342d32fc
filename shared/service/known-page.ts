import type { RunView } from '../run.ts';

/** Path of a page of every deployment. It never changes, so that its results are known. */
export const KNOWN_PATH = '/sample';

type Value = number | null;
/** A value of a run, and the band in which it must lie. `show` formats it. */
type Band = {
  name: string;
  of: (run: RunView) => Value;
  min?: number;
  max?: number;
  /** True if a host may not report the value. */
  isOptional?: true;
  show: (value: number) => string;
};

const seconds = (from: string | null, to: string | null): Value =>
  from && to ? (Date.parse(to) - Date.parse(from)) / 1000 : null;
const inSeconds = (value: number): string => `${value.toFixed(1)} s`;
const whole = (value: number): string => String(Math.round(value));
const inPercent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/**
 * The known results of the page with the default options. Its scores other than performance are exact. The other bands
 * hold on a steady host: a page on a host below them gets a score that is too low, or its check takes too long.
 */
export const bands: readonly Band[] = [
  { name: 'cold start', of: ({ createdAt, startedAt }) => seconds(createdAt, startedAt), max: 60, show: inSeconds },
  { name: 'turnaround', of: ({ createdAt, finishedAt }) => seconds(createdAt, finishedAt), max: 120, show: inSeconds },
  { name: 'performance', of: ({ performance }) => performance, min: 95, show: whole },
  { name: 'accessibility', of: ({ accessibility }) => accessibility, min: 100, show: whole },
  { name: 'best practices', of: ({ bestPractices }) => bestPractices, min: 100, show: whole },
  { name: 'SEO', of: ({ seo }) => seo, min: 100, show: whole },
  {
    name: 'steal',
    of: ({ environment }) => environment?.cpuStolen ?? null,
    max: 0.15,
    show: inPercent,
  },
  {
    name: 'CPU wait',
    of: ({ environment }) => environment?.cpuWaitMs ?? null,
    isOptional: true,
    show: (value) => `${value} ms`,
  },
  { name: 'CPU in use', of: ({ environment }) => environment?.cpuBusy ?? null, isOptional: true, show: inPercent },
  { name: 'benchmark', of: ({ environment }) => environment?.benchmarkIndex ?? null, min: 500, show: whole },
];

/**
 * A region's result: the text of each value, and what lies outside its band. It passes if nothing does. `auditSeconds` is the
 * time from the claim of the run to its end, null if the run has not ended.
 */
export type Judgement = {
  region: string;
  values: Record<string, string>;
  faults: string[];
  auditSeconds: number | null;
};

/** Compares a run of the page with its known results. */
export const judge = (run: RunView): Judgement => {
  const values: Record<string, string> = {};
  const faults: string[] = [];
  if (run.state !== 'succeeded') faults.push(run.error ? `failed: ${run.error.code}` : `not finished: ${run.state}`);
  for (const { name, of, min = -Infinity, max = Infinity, isOptional, show } of bands) {
    const value = of(run);
    values[name] = value === null ? '–' : show(value);
    if (run.state !== 'succeeded') continue;
    if (value === null && isOptional) continue;
    if (value === null) faults.push(`${name} is unknown`);
    else if (value < min) faults.push(`${name} ${show(value)} is below ${show(min)}`);
    else if (value > max) faults.push(`${name} ${show(value)} is above ${show(max)}`);
  }
  return { region: run.region, values, faults, auditSeconds: seconds(run.startedAt, run.finishedAt) };
};
