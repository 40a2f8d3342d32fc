import { seriesKeys } from './comparison/comparable.ts';
import { medianOf } from './comparison/shift.ts';
import { type MetricName, metricNames, pageMetrics, rangesOf } from './metrics/page-metrics.ts';
import { recordOf } from './record.ts';
import type { RunsOfDay, SeriesRun } from './summaries.ts';

export const dayOf = ({ createdAt }: Pick<SeriesRun, 'createdAt'>): string => createdAt.slice(0, 10);

/**
 * Returns the entries of a day, newest first: one for each region, device and way of auditing. Each is the newest run that
 * counts, with the medians as its metrics. A run that failed, or shared the CPU with other programs, counts only if no other did.
 */
export const medianRuns = <Run extends SeriesRun>(runs: readonly Run[]): (Run & { day: RunsOfDay })[] => {
  const places = Map.groupBy(runs, ({ region, device }) => `${region} ${device}`);
  return [...places.values()].flatMap((ofPlace) => {
    const finished = ofPlace.filter(({ state }) => state === 'succeeded');
    const quiet = finished.filter(({ contended }) => !contended);
    const counted = [quiet, finished, ofPlace].find(({ length }) => length > 0) ?? [];
    const failed = ofPlace.length - finished.length;
    const contended = counted === quiet ? finished.length - quiet.length : 0;
    const groups = [...Map.groupBy(counted, wayOf).values()];
    // The first group has the newest runs. It shows the runs that are in no median.
    return groups.map((group, i) => medianRun(group, i === 0 ? { failed, contended } : { failed: 0, contended: 0 }));
  });
};

/** Returns a text that is equal for runs whose values may share a median. Machines may take turns in a region. */
const wayOf = (run: SeriesRun): string => {
  const { inputs, machine } = seriesKeys({ ...run, host: null });
  return `${inputs} ${machine}`;
};

const medianRun = <Run extends SeriesRun>(
  group: readonly Run[],
  { failed, contended }: Pick<RunsOfDay, 'failed' | 'contended'>,
) => {
  const [newest] = group as [Run, ...Run[]];
  const runs = newest.state === 'succeeded' ? group.length : 0;
  return {
    ...newest,
    ...recordOf(metricNames, (name) => middleOf(group, name)),
    interactions: medianTimes(group),
    sampleCount: group.reduce((sum, { sampleCount }) => sum + sampleCount, 0),
    day: { date: dayOf(newest), runs, failed, contended, range: rangesOf(group) },
  };
};

/** Returns the interactions of the newest run with the medians of their times. One that failed in all runs has none. */
const medianTimes = (runs: readonly SeriesRun[]): SeriesRun['interactions'] =>
  runs[0]?.interactions?.map(({ name }) => {
    const times = runs.flatMap(({ interactions = [] }) => interactions.find((each) => each.name === name)?.inp ?? []);
    return { name, inp: times.length > 0 ? Math.round(medianOf(times)) : null };
  });

/** Returns the median of the values of a metric, or null if no run has one. Only times and shifts have fractions. */
const middleOf = (runs: readonly SeriesRun[], name: MetricName): number | null => {
  const values = runs.flatMap((run) => run[name] ?? []);
  if (values.length === 0) return null;
  const { kind } = pageMetrics[name];
  return kind === 'time' || kind === 'shift' ? medianOf(values) : Math.round(medianOf(values));
};
