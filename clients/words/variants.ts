import { interactionMetricTitle } from '../../shared/interactions/metric-ids.ts';
import { interactionMetricNames } from '../../shared/interactions/metrics.ts';
import type { MetricName } from '../../shared/metrics/page-metrics.ts';
import type { RunView } from '../../shared/run.ts';
import { briefChangeText } from './change.ts';
import { labels, mainMetrics, metricNames, metrics, plain, shownNumber, shownValue } from './numbers.ts';

type Value = ReturnType<typeof shownValue>;
type Change = NonNullable<RunView['change']>[MetricName];

/** A metric of a run that audited two variants in turns. The change is empty until the run has finished. */
export type VariantRow = {
  label: string;
  title: string;
  against: Value;
  value: Value;
  verdict: Change['verdict'];
  change: string;
};

/** Signs of the verdicts. */
export const verdictSigns = { regressed: '✘', improved: '✓', same: '=', unknown: '?' } as const;

/** Returns the main metrics of a run and those that changed, with the values of both variants and the change. */
export const variantRows = (run: RunView, { all = false } = {}): VariantRow[] => [
  ...metrics.flatMap((name) => {
    const judged = run.change?.[name];
    const { verdict = 'unknown' } = judged ?? {};
    const [against, value] = [run.against ? shownValue(run.against, name) : undefined, shownValue(run, name)];
    const isShown = all || mainMetrics.includes(name) || isChange(verdict);
    if (!isShown || (!against && !value)) return [];
    const change = judged ? briefChangeText(name, judged) : '';
    return [{ label: labels[name], title: metricNames[name], against, value, verdict, change }];
  }),
  ...interactionRows(run, all),
];

const isChange = (verdict: Change['verdict']): boolean => verdict === 'regressed' || verdict === 'improved';

/** Returns the INP of each interaction, and its other metrics that changed. */
const interactionRows = (run: RunView, all: boolean): VariantRow[] =>
  (run.interactions ?? []).flatMap((interaction) => {
    const other = run.against?.interactions?.find(({ name }) => name === interaction.name);
    return interactionMetricNames.flatMap((metric) => {
      const judged = interaction.change?.[metric];
      const { verdict = 'unknown' } = judged ?? {};
      const [against, value] = [other, interaction].map((each) => {
        const number = plain(metric === 'lcp' ? each?.softNavigation?.lcp : each?.[metric]);
        const range = each?.spread?.[metric];
        return number === null ? undefined : shownNumber(metric, number, { device: run.device, range });
      });
      if ((!all && metric !== 'inp' && !isChange(verdict)) || (!against && !value)) return [];
      const title = interactionMetricTitle({ interaction: interaction.name, metric });
      return [{ label: title, title, against, value, verdict, change: judged ? briefChangeText(metric, judged) : '' }];
    });
  });
