import type { MetricName } from '../../shared/service/metrics.ts';

/** Number and sum of the values of a metric with the same dimensions that this process has emitted. */
export type Counted = { name: MetricName; dimensions: Readonly<Record<string, string>>; count: number; sum: number };

const counted = new Map<string, Counted>();

/** Counts a value for GET /v1/metrics. On Lambda CloudWatch has the metrics, because each function is a process of its own. */
export const countValue = (name: MetricName, value: number, dimensions: Readonly<Record<string, string>>): void => {
  const key = JSON.stringify([name, dimensions]);
  const { count, sum } = counted.get(key) ?? { count: 0, sum: 0 };
  counted.set(key, { name, dimensions, count: count + 1, sum: sum + value });
};

/** Returns what this process has counted since its start. */
export const allCounted = (): Counted[] => [...counted.values()];
