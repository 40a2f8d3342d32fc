import { interactionMetricTitle } from '../../shared/interactions/metric-ids.ts';
import { interactionMetricNames, type JudgedName } from '../../shared/interactions/metrics.ts';
import type { RunView } from '../../shared/run.ts';
import { briefChangeText } from './change.ts';
import { labels, mainMetrics, metricNames, metrics, plain } from './numbers.ts';
import { type Cell, gradedCell, metricCell, type Row, type Section, type Verdict } from './section.ts';

/** Returns the main metrics of a run and those that changed, with the values of both variants and the change. */
export const variantSection = (run: RunView, { all = false } = {}): Section => ({
  id: `variants-${run.region}`,
  title: run.region,
  kind: 'change',
  columns: ['Metric', 'Against', 'Check', 'Change'],
  rows: [...metricRows(run, all), ...interactionRows(run, all)],
});

const metricRows = (run: RunView, all: boolean): Row[] =>
  metrics.flatMap((name) => {
    const judged = run.change?.[name];
    const values = [run.against ? metricCell(run.against, name) : '–', metricCell(run, name)];
    const isShown = all || mainMetrics.includes(name) || isChange(judged?.verdict);
    if (!isShown || isUnknown(values)) return [];
    return [{ name: labels[name], title: metricNames[name], cells: [...values, changeCell(name, judged)] }];
  });

/** Returns the INP of each interaction, and its other metrics that changed. */
const interactionRows = (run: RunView, all: boolean): Row[] =>
  (run.interactions ?? []).flatMap((interaction) => {
    const other = run.against?.interactions?.find(({ name }) => name === interaction.name);
    return interactionMetricNames.flatMap((metric) => {
      const judged = interaction.change?.[metric];
      const values = [other, interaction].map((each) => {
        const value = plain(metric === 'lcp' ? each?.softNavigation?.lcp : each?.[metric]);
        return gradedCell(metric, value, run.device, each?.spread?.[metric]);
      });
      if ((!all && metric !== 'inp' && !isChange(judged?.verdict)) || isUnknown(values)) return [];
      const title = interactionMetricTitle({ interaction: interaction.name, metric });
      return [{ name: title, title, cells: [...values, changeCell(metric, judged)] }];
    });
  });

const isChange = (verdict: Verdict | undefined): boolean => verdict === 'regressed' || verdict === 'improved';

const isUnknown = (values: readonly Cell[]): boolean => values.every((value) => value === '–');

/** Returns the change of a metric. It is empty until the run has finished. */
const changeCell = (name: JudgedName, judged: Parameters<typeof briefChangeText>[1] | undefined): Cell =>
  judged ? { text: briefChangeText(name, judged), verdict: judged.verdict } : '';
