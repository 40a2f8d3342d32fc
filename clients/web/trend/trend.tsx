import { useMemo, useState } from 'preact/hooks';
import type { CheckView } from '../../../shared/check.ts';
import type { Mark } from '../../../shared/marks.ts';
import type { PageList, PageResult } from '../../../shared/pages/pages.ts';
import type { RunSummary } from '../../../shared/summaries.ts';
import { USUAL_SINCE } from '../../words/pages.ts';
import { unreadableNote } from '../../words/words.ts';
import { useLoaded } from '../requests/loading.ts';
import { messageOf } from '../requests/requests.ts';
import { replaceUrl } from '../router.ts';
import { ChosenBar, useChosenChecks } from '../ui/chosen-checks.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { usePlaces } from '../ui/places.ts';
import { Pending, ProblemNote } from '../ui/problem.tsx';
import { isolated, useTitle } from '../ui/title.ts';
import { TwoLines } from '../ui/two-lines.tsx';
import { PageChanges, PageNow } from './page-now.tsx';
import { useSeries } from './series.ts';
import { TrendChart } from './trend-chart.tsx';
import { TrendFilter } from './trend-filter.tsx';
import { changeLines, limitLines, markLines } from './trend-lines.ts';
import { type TrendMetric, trendMetric, trendMetricsOf } from './trend-metric.ts';
import { trendQueryOf } from './trend-query.ts';
import { TrendRange } from './trend-range.tsx';
import { choiceOf, TrendTable } from './trend-table.tsx';

/** A page over time: one line per region. Its filters are in the address. */
export const TrendPage = ({ query }: { query: URLSearchParams }) => {
  const { url, parameters, page, faults, isFiltered } = trendQueryOf(query);
  const filter = `${parameters}`;
  const isReady = url !== '' && Object.keys(faults).length === 0;
  const series = useSeries(isReady ? filter : null);
  useTitle(url ? `Over time: ${isolated(url)}` : 'A page over time');
  const refused = (name: string) => messageOf(series.error?.errors ?? [], name);
  const wrong = (name: string) => faults[name] ?? refused(name);
  const now = useLoaded<PageList>(isReady ? `/v1/pages?${page}&since=${USUAL_SINCE}` : null);
  const results = now.data?.pages[0]?.results ?? none;
  usePlaces(); // together with the results, so that a place moves nothing
  const isShown = isReady && !filterNames.some(refused);
  return (
    <>
      <h1>
        {url ? (
          <TwoLines key={url}>
            <bdi>{url}</bdi>
          </TwoLines>
        ) : (
          'A page over time'
        )}
      </h1>
      <TrendFilter query={query} wrong={wrong} />
      {url === '' && <p class="empty">Enter the URL of a page that was audited before.</p>}
      {isShown && !now.data && !now.error && <Pending reload={now.reload} rows={10} />}
      {isShown && (now.data || now.error) && (
        <>
          <PageNow results={results} />
          <PageChanges results={results} />
          <Badge key={`${page}`} filters={page} />
          <TrendRange query={query} />
          <Series key={filter} {...{ series, filter, isFiltered, results }} metric={query.get('metric')} />
        </>
      )}
    </>
  );
};

const VisitorHistory = onDemand(() => import('./field-history.tsx').then((module) => module.VisitorHistory));
const PageBadge = onDemand(() => import('./badge.tsx').then((module) => module.PageBadge));

/** The badge of a page. Its code loads when a person opens it. */
const Badge = ({ filters }: { filters: URLSearchParams }) => {
  const [opened, setOpened] = useState(false);
  return (
    <details onToggle={() => setOpened(true)}>
      <summary>Badge for a README</summary>
      {opened && <PageBadge filters={filters} />}
    </details>
  );
};

const none: readonly never[] = [];
const filterNames = ['url', 'device', 'region', 'label'];

type SeriesProps = {
  series: ReturnType<typeof useSeries>;
  filter: string;
  isFiltered: boolean;
  metric: string | null;
  results: readonly PageResult[];
};

const Series = ({ series, filter, isFiltered, metric, results }: SeriesProps) => {
  const { runs, unreadable, history, done, error, reload } = series;
  const [chosen, setChosen] = useState(() => trendMetric(metric));
  const choose = (to: TrendMetric) => {
    setChosen(to);
    const address = new URLSearchParams(location.search);
    address.set('metric', to.id);
    replaceUrl(`/pages?${address}`);
  };
  const chosenChecks = useChosenChecks();
  const newest = runs.find(({ links }) => links.check)?.links.check;
  const { data: check } = useLoaded<CheckView>(newest ?? null);
  const marks = useLoaded<{ marks: Mark[] }>(`/v1/marks?${filter}`).data?.marks ?? none;
  const lines = useMemo(
    () => [...markLines(marks), ...changeLines(results, chosen, runs), ...limitLines(check?.runs ?? [], chosen)],
    [marks, runs, results, chosen, check],
  );
  const tried = useMemo(() => runs.filter(chosen.isTried), [runs, chosen]);
  if (runs.length === 0 && !done) return <Pending error={error} reload={reload} rows={10} />;
  const note = unreadable.length > 0 && <p class="muted">{unreadableNote(unreadable, 'run')}</p>;
  if (runs.length === 0) return note || <NoRuns isFiltered={isFiltered} />;
  return (
    <>
      {error && <ProblemNote error={error} reload={reload} />}
      <Tabs runs={runs} chosen={chosen} choose={choose} />
      {tried.length === 0 && <p class="empty">No run has this metric.</p>}
      <TrendChart
        {...{ runs: tried, lines, history }}
        metric={chosen}
        choose={(run) => run.links.check && chosenChecks.toggle(choiceOf(run))}
      />
      <p class="legend">
        <span>● comparable with the newest run</span>
        <span>○ not comparable with it. The note in the table says why</span>
        <span>┆ a new series begins, because the way of auditing changed</span>
        <span>Choose two points, or two rows below, to compare their checks.</span>
        {runs[0]?.day && (
          <span>
            These are many runs: each point is the median of a day (UTC), and the band is the range of its runs
          </span>
        )}
      </p>
      {note}
      <TrendTable key={runs[0]?.id} runs={tried} metric={chosen} filter={filter} chosen={chosenChecks} marks={marks} />
      {history && <VisitorHistory history={history} />}
      <ChosenBar chosen={chosenChecks} />
    </>
  );
};

const NoRuns = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <p class="empty">No finished run of this URL matches the filter. Empty a field above to see more runs.</p>
  ) : (
    <p class="empty">
      No finished run of this URL on this device is stored. <a href="/">Audit it</a> first.
    </p>
  );

type TabsProps = { runs: readonly RunSummary[]; chosen: TrendMetric; choose: (metric: TrendMetric) => void };

/** The switch between the metrics that a run has. */
const Tabs = ({ runs, chosen, choose }: TabsProps) => (
  <div class="tabs" role="group" aria-label="Metric">
    {offered(runs, chosen).map((metric) => (
      <button type="button" key={metric.id} aria-pressed={metric.id === chosen.id} onClick={() => choose(metric)}>
        {metric.label}
      </button>
    ))}
  </div>
);

/** Returns the metrics of the runs, and the chosen one also if no run has it. */
const offered = (runs: readonly RunSummary[], chosen: TrendMetric): TrendMetric[] => {
  const all = trendMetricsOf(runs);
  return all.some(({ id }) => id === chosen.id) ? all : [...all, chosen];
};
