import type { CheckComparison } from '../../../shared/comparison/schemas.ts';
import type { MetricName } from '../../../shared/page-metrics.ts';
import type { RunView } from '../../../shared/run.ts';
import { changeText } from '../../words/change.ts';
import { mainMetrics, metrics, shownValue } from '../../words/numbers.ts';

type Value = ReturnType<typeof shownValue>;
type Verdict = CheckComparison['metrics'][MetricName]['verdict'];

/** A metric of a run that audited two variants in turns. */
export type VariantRow = { name: MetricName; against: Value; value: Value; verdict: Verdict; change: string };

/** Signs of the verdicts. */
export const verdictSigns = { regressed: '✘', improved: '✓', same: '=', unknown: '?' } as const;

/** Returns the main metrics of a run and those that changed, with the values of both variants and the change. */
export const variantRows = (run: RunView, comparison: CheckComparison | null): VariantRow[] =>
  metrics.flatMap((name) => {
    const compared = comparison?.metrics[name].regions[run.region];
    const { verdict = 'unknown' } = compared ?? {};
    const [against, value] = [againstValue(run, name), shownValue(run, name)];
    const isShown = mainMetrics.includes(name) || verdict === 'regressed' || verdict === 'improved';
    if (!isShown || (!against && !value)) return [];
    return [{ name, against, value, verdict, change: compared ? changeText(name, compared) : '' }];
  });

const againstValue = ({ against }: RunView, name: MetricName): Value =>
  against ? shownValue(against, name) : undefined;
