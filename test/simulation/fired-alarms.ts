import type { Stack } from 'aws-cdk-lib';
import { type Properties, resourcesOf } from '../infra/support.ts';

type Dimensions = Readonly<Record<string, string>>;
type Metric = { MetricName: string; Dimensions?: { Name: string; Value: string }[] };
type Query = { Id: string; Expression?: string; MetricStat?: { Metric: Metric; Period: number; Stat: string } };

export type MetricRecorder = ReturnType<typeof metricRecorder>;

/** Seconds of a slot. Each period of an alarm has a whole number of slots. */
const SLOT = 300;

/** Records the values of metrics, as CloudWatch does, by slots of five minutes. */
export const metricRecorder = () => {
  const recorded = new Map<string, number[][]>();
  let slot = 0;
  const keyOf = (name: string, dimensions: Dimensions) => [name, ...Object.values(dimensions).sort()].join(' ');
  return {
    setTime: (second: number): void => {
      slot = Math.floor(second / SLOT);
    },
    add: (name: string, dimensions: Dimensions, value: number): void => {
      const key = keyOf(name, dimensions);
      const slots = recorded.get(key) ?? [];
      recorded.set(key, slots);
      const values = slots[slot] ?? [];
      slots[slot] = values;
      values.push(value);
    },
    /** Returns the values of a metric of an alarm between two seconds. */
    values: ({ MetricName, Dimensions = [] }: Metric, from: number, until: number): number[] => {
      const ours = Dimensions.filter(({ Name }) => Name !== 'service').map(({ Name, Value }) => [Name, Value]);
      const slots = recorded.get(keyOf(MetricName, Object.fromEntries(ours)));
      return (slots?.slice(from / SLOT, until / SLOT) ?? []).flat();
    },
  };
};

/** Returns the names of the alarms that fire until a second. A load has no canary. */
export const firedAlarms = (
  stacks: readonly Stack[],
  metrics: MetricRecorder,
  until: number,
  { withCanary = false } = {},
): string[] =>
  stacks
    .flatMap((stack) => resourcesOf(stack, 'AWS::CloudWatch::Alarm'))
    .filter((alarm) => (withCanary || !/-Canary\w+$/.test(alarm.AlarmName)) && fires(alarm, metrics, until))
    .map(({ AlarmName }) => AlarmName.replace(/^page-audit-[a-z]+-/, ''))
    .sort();

const fires = (alarm: Properties, metrics: MetricRecorder, until: number): boolean => {
  const queries = (alarm.Metrics ?? []) as Query[];
  const period = alarm.Period ?? queries.find(({ MetricStat }) => MetricStat)?.MetricStat?.Period;
  let breaches = 0;
  for (let from = 0; from + period <= until && breaches < alarm.EvaluationPeriods; from += period) {
    const valueIn = (metric: Metric, statistic: string) =>
      statisticOf(statistic, metrics.values(metric, from, from + period));
    const value = alarm.MetricName
      ? valueIn(alarm as unknown as Metric, alarm.ExtendedStatistic ?? alarm.Statistic)
      : calculate(queries, valueIn);
    breaches = isBreached(alarm, value) ? breaches + 1 : 0;
  }
  return breaches >= alarm.EvaluationPeriods;
};

const isBreached = (alarm: Properties, value: number | undefined): boolean => {
  if (value === undefined) return alarm.TreatMissingData === 'breaching';
  return alarm.ComparisonOperator === 'LessThanThreshold' ? value < alarm.Threshold : value >= alarm.Threshold;
};

const statisticOf = (statistic: string, values: readonly number[]): number | undefined => {
  if (values.length === 0) return undefined;
  const sum = values.reduce((total, value) => total + value, 0);
  const sorted = values.toSorted((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? sorted[0];
  if (statistic === 'SampleCount') return values.length;
  if (statistic === 'Sum') return sum;
  if (statistic === 'Average') return sum / values.length;
  if (statistic === 'Minimum') return quantile(0);
  if (statistic === 'Maximum') return quantile(1);
  return quantile(Number(statistic.slice(1)) / 100); // p95
};

/** Calculates the metric math whose metrics are recorded. Without its metrics, an expression has no value. */
const calculate = (
  queries: readonly Query[],
  valueIn: (metric: Metric, statistic: string) => number | undefined,
): number | undefined => {
  const values: Record<string, number | undefined> = {};
  for (const { Id, MetricStat } of queries) if (MetricStat) values[Id] = valueIn(MetricStat.Metric, MetricStat.Stat);
  if (Object.values(values).every((value) => value === undefined)) return undefined;
  const expression = queries.find(({ Expression }) => Expression)?.Expression ?? '';
  if (/^FILL\(\w+, 0\)( - FILL\(\w+, 0\))*$/.test(expression)) {
    const [all = 0, ...parts] = [...expression.matchAll(/\((\w+),/g)].map(([, id = '']) => values[id] ?? 0);
    return parts.reduce((rest, part) => rest - part, all);
  }
  throw new Error(`unknown metric math ${expression}`);
};
