import type { MetricName } from '../../shared/metrics/page-metrics.ts';
import type { RunView } from '../../shared/run.ts';
import { briefChangeText } from './change.ts';
import { mainMetrics, metrics, shownValue } from './numbers.ts';

type Value = ReturnType<typeof shownValue>;
type Change = NonNullable<RunView['change']>[MetricName];

/** A metric of a run that audited two variants in turns. The change is empty until the run has finished. */
export type VariantRow = { name: MetricName; against: Value; value: Value; verdict: Change['verdict']; change: string };

/** Signs of the verdicts. */
export const verdictSigns = { regressed: '✘', improved: '✓', same: '=', unknown: '?' } as const;

/** Returns the main metrics of a run and those that changed, with the values of both variants and the change. */
export const variantRows = (run: RunView, { all = false } = {}): VariantRow[] =>
  metrics.flatMap((name) => {
    const judged = run.change?.[name];
    const { verdict = 'unknown' } = judged ?? {};
    const [against, value] = [run.against ? shownValue(run.against, name) : undefined, shownValue(run, name)];
    const isShown = all || mainMetrics.includes(name) || verdict === 'regressed' || verdict === 'improved';
    if (!isShown || (!against && !value)) return [];
    return [{ name, against, value, verdict, change: judged ? briefChangeText(name, judged) : '' }];
  });
