import type { TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import type { MetricName } from '../../../shared/page-metrics.ts';
import type { RunSummary } from '../../../shared/summaries.ts';
import { labels, metrics, numberOf } from '../../words/numbers.ts';
import { unreadableNote } from '../../words/words.ts';
import { Field } from '../parts/field.tsx';
import { PageNow } from '../parts/page-now.tsx';
import { Pending, ProblemNote } from '../parts/problem.tsx';
import { TrendChart } from '../parts/trend-chart.tsx';
import { TrendTable } from '../parts/trend-table.tsx';
import { navigate, replaceUrl } from '../router.ts';
import { MAX_RUNS, useSeries } from '../series.ts';
import { isolated, useTitle } from '../title.ts';

/** A page over time: one line per region. */
export const TrendPage = ({ query }: { query: URLSearchParams }) => {
  const url = query.get('url') ?? '';
  const device = query.get('device') ?? 'mobile';
  useTitle(url ? `Over time: ${isolated(url)}` : 'A page over time');
  return (
    <>
      <h1>{url ? <bdi>{url}</bdi> : 'A page over time'}</h1>
      <Choice key={`${url} ${device}`} url={url} device={device} />
      {url === '' ? (
        <p class="empty">Enter the URL of a page that was audited before.</p>
      ) : (
        <>
          <PageNow key={`now ${url} ${device}`} url={url} device={device} />
          <Series key={`${url} ${device}`} url={url} device={device} metric={query.get('metric')} />
        </>
      )}
    </>
  );
};

const Choice = ({ url, device }: { url: string; device: string }) => {
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    navigate(
      `/pages?${new URLSearchParams({ url: String(form.get('url')).trim(), device: String(form.get('device')) })}`,
    );
  };
  return (
    <form class="row" aria-label="Page" onSubmit={submit}>
      <Field name="url" label="URL" class="grow">
        {(input) => <input type="text" inputmode="url" name="url" defaultValue={url} {...input} />}
      </Field>
      <Field name="device" label="Device">
        {(input) => (
          <select name="device" {...input}>
            {['mobile', 'desktop'].map((each) => (
              <option key={each} selected={each === device}>
                {each}
              </option>
            ))}
          </select>
        )}
      </Field>
      <button type="submit">Show</button>
    </form>
  );
};

const Series = ({ url, device, metric }: { url: string; device: string; metric: string | null }) => {
  const { runs, unreadable, done, error, reload } = useSeries({ url, device });
  const [chosen, setChosen] = useState(metrics.find((each) => each === metric) ?? 'performance');
  const choose = (name: MetricName) => {
    setChosen(name);
    replaceUrl(`/pages?${new URLSearchParams({ url, device, metric: name })}`);
  };
  if (runs.length === 0 && !done) return <Pending error={error} reload={reload} rows={10} />;
  const note = unreadable.length > 0 && <p class="muted">{unreadableNote(unreadable, 'run')}</p>;
  if (runs.length === 0)
    return (
      note || (
        <p class="empty">
          No finished run of this URL on {device} is stored. <a href="/">Audit it</a> first.
        </p>
      )
    );
  return (
    <>
      {error && <ProblemNote error={error} reload={reload} />}
      <Tabs runs={runs} chosen={chosen} choose={choose} />
      <TrendChart runs={runs} name={chosen} />
      <p class="legend">
        <span>● comparable with the newest run of its region</span>
        <span>
          ○ not comparable: other work used the CPU, another machine or Lighthouse version, other throttling or blocked
          URLs
        </span>
        {runs.length >= MAX_RUNS && <span>The newest {MAX_RUNS} runs are shown.</span>}
      </p>
      {note}
      <TrendTable runs={runs} name={chosen} url={url} device={device} />
    </>
  );
};

type TabsProps = { runs: readonly RunSummary[]; chosen: MetricName; choose: (name: MetricName) => void };

/** The switch between the metrics that a run has. */
const Tabs = ({ runs, chosen, choose }: TabsProps) => (
  <div class="tabs" role="group" aria-label="Metric">
    {metrics
      .filter((name) => name === chosen || runs.some((run) => numberOf(run, name) !== null))
      .map((name) => (
        <button type="button" key={name} aria-pressed={name === chosen} onClick={() => choose(name)}>
          {labels[name]}
        </button>
      ))}
  </div>
);
