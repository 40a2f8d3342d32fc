import { useEffect, useRef, useState } from 'preact/hooks';
import type UPlot from 'uplot';
import type { FieldHistory } from '../../../shared/field-data-schemas.ts';
import type { RunSummary } from '../../../shared/summaries.ts';
import { nextTask } from '../requests/requests.ts';
import { namerOf, usePlaces } from '../ui/places.ts';
import type { TrendLine } from './trend-lines.ts';
import type { TrendMetric } from './trend-metric.ts';
import type { Scheme } from './trend-plot.ts';

const loadStyle = () => {
  if (document.getElementById('uplot')) return;
  const href = new URL('./uplot.css', import.meta.url).href; // the bundle puts it beside the module
  document.head.append(Object.assign(document.createElement('link'), { id: 'uplot', rel: 'stylesheet', href }));
};

/** Repairs the language of the browser if it is no valid tag, because uPlot would not load. */
const repairLanguage = () => {
  try {
    Intl.getCanonicalLocales(navigator.language); // loads no data of the language
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
  }
};

const dark = matchMedia('screen and (prefers-color-scheme: dark)');
const forced = matchMedia('(forced-colors: active)');
const schemeOf = (): Scheme => (forced.matches ? 'forced' : dark.matches ? 'dark' : 'light');

type ChartProps = {
  runs: readonly RunSummary[];
  metric: TrendMetric;
  /** Deploys, limits and changes. */
  lines: readonly TrendLine[];
  history?: FieldHistory | undefined;
  /** Gets the run whose point is clicked. */
  choose: (run: RunSummary) => void;
};

/** A chart with a line per region. The table below has the same data for screen readers. */
export const TrendChart = ({ runs, metric, lines, history, choose }: ChartProps) => {
  const places = usePlaces();
  const current = useRef(choose);
  current.current = choose;
  const [failed, setFailed] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const linesKey = JSON.stringify(lines); // equal lines draw no second chart
  useEffect(() => {
    let chart: UPlot | undefined;
    let gone = false;
    const draw = async () => {
      loadStyle();
      repairLanguage();
      const drawing = [import('uplot'), import('./trend-plot.ts')] as const; // only this view needs them
      const [{ default: Plot }, { plotOf }] = await Promise.all(drawing);
      await nextTask(); // the modules, the data and the chart block the page one after the other
      if (gone || !box.current) return;
      const { options, data } = plotOf(runs, metric, {
        width: box.current.clientWidth,
        scheme: schemeOf(),
        nameOf: namerOf(places, runs),
        lines,
        history,
        choose: (run) => current.current(run),
      });
      await nextTask();
      if (gone || !box.current) return;
      chart?.destroy();
      chart = new Plot(options, data, box.current);
    };
    const resize = new ResizeObserver(
      () => box.current && chart?.setSize({ width: box.current.clientWidth, height: chart.height }),
    );
    const show = () =>
      draw().then(
        () => setFailed(false),
        () => setFailed(true),
      );
    show();
    if (box.current) resize.observe(box.current);
    for (const query of [dark, forced]) query.addEventListener('change', show);
    return () => {
      gone = true;
      resize.disconnect();
      for (const query of [dark, forced]) query.removeEventListener('change', show);
      chart?.destroy();
    };
  }, [runs, metric, linesKey, history, places]);
  return (
    <>
      <div
        class="chart"
        ref={box}
        role="img"
        aria-label={`${metric.title} over time. The table below has the values.`}
      />
      {failed && <p class="note">This browser could not load the chart. The table has the same data.</p>}
    </>
  );
};
