import { type OptionName, optionNames, options } from '../audit-options.ts';
import { noOptions } from '../audit-options-schemas.ts';
import { type MetricName, metricNames, pageMetrics } from '../page-metrics.ts';
import type { Run } from '../run.ts';
import { throttlingText } from '../throttling.ts';

/** Metrics that depend on the speed of the machine and its simulated network. */
export const timings = metricNames.filter((name) => pageMetrics[name].dependsOn === 'device');

type Spoiling = { [Name in OptionName]: (typeof options)[Name] extends { spoils: unknown } ? Name : never }[OptionName];
const spoiling = optionNames.filter((name): name is Spoiling => 'spoils' in options[name]);
type OptionReason = (typeof options)[Spoiling]['spoils']['reason'];

/** The metrics that have no verdict between runs with different values of an option, by the reason that says so. */
export const affectedByOptions = Object.fromEntries<readonly MetricName[]>(
  spoiling.map((name) => [options[name].spoils.reason, options[name].spoils.metrics === 'all' ? metricNames : timings]),
) as { [Reason in OptionReason]: readonly MetricName[] };

/** Returns the reasons that lie in the different options of two runs. */
export const reasonsOfOptions = (before: Run, after: Run): OptionReason[] =>
  spoiling.filter((name) => textOf(name, before) !== textOf(name, after)).map((name) => options[name].spoils.reason);

/** Returns the value of an option as a text. The order of a list makes no difference. */
const textOf = (name: Spoiling, { device, environment }: Run): string => {
  if (name === 'device') return device;
  if (name === 'throttling') {
    return `${environment?.throttling ?? 'simulate'} ${throttlingText(device, environment?.throttlingValues ?? null)}`;
  }
  const value: unknown = (environment ?? noOptions)[name];
  return JSON.stringify(Array.isArray(value) ? [...new Set(value)].sort() : value);
};
