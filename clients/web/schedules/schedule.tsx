import { interactionMetricTitle } from '../../../shared/interactions/metric-ids.ts';
import { pageMetric } from '../../../shared/metrics/page-metrics.ts';
import type { Schedule } from '../../../shared/schedules.ts';
import { everyText, lastText } from '../../words/schedules.ts';
import { ago, localTime } from '../../words/times.ts';
import { useAction, useNow } from '../requests/loading.ts';
import { send } from '../requests/requests.ts';
import { Facts } from '../ui/facts.tsx';
import { hasOnePlace, useNamer, usePlaces } from '../ui/places.ts';
import { ProblemNote } from '../ui/problem.tsx';
import { Quoted } from '../ui/quoted.tsx';
import { isolated } from '../ui/title.ts';
import { TwoLines } from '../ui/two-lines.tsx';

type Props = { schedule: Schedule; change: (text: string) => void; edit: () => void };

/** One schedule: its times, its last result and its actions. `change` announces an action that is done, and `edit` opens the form. */
export const SchedulePanel = ({ schedule, change, edit }: Props) => {
  const { id, name, every, check, pausedAt, nextAt } = schedule;
  const path = `/v1/schedules/${id}`;
  const places = usePlaces();
  const { regions = [] } = check;
  const shown = hasOnePlace(places) && regions.length === 1 ? [] : regions;
  const action = useAction(async (method: 'POST' | 'DELETE', to: string, done: string) => {
    await send(`${path}${to}`, { method });
    change(`The schedule ${isolated(name)} is ${done}.`);
  });
  const pauseOrResume = () =>
    pausedAt ? action.run('POST', '/resume', 'resumed') : action.run('POST', '/pause', 'paused');
  const remove = () =>
    confirm(`Delete the schedule ${isolated(name)}? Its checks stay.`) && action.run('DELETE', '', 'deleted');
  const heading = `schedule-${id}`;
  return (
    <section class="panel" aria-labelledby={heading}>
      <div class="head">
        <h2 id={heading} class="grow break">
          <bdi>{name}</bdi>
        </h2>
        <p class="row">
          <button type="button" class="small" disabled={action.busy} onClick={pauseOrResume}>
            {pausedAt ? 'Resume' : 'Pause'}
          </button>
          <button type="button" class="small" disabled={action.busy} onClick={edit}>
            Edit
          </button>
          <button type="button" class="small" disabled={action.busy} onClick={remove}>
            Delete
          </button>
        </p>
      </div>
      <p>
        <TwoLines>
          <a href={pageOf(check)}>
            <bdi>{check.url}</bdi>
          </a>
        </TwoLines>{' '}
        <span class="muted">
          <Facts facts={[...shown, ...(check.device ? [check.device] : [])]} />
        </span>
      </p>
      <p>
        {pausedAt ? `⏸ Paused since ${localTime(pausedAt)}` : nextAt && `Next check: ${localTime(nextAt)}`}{' '}
        <bdi class="muted">{everyText(every)}</bdi>
      </p>
      <Last schedule={schedule} />
      <Regressed schedule={schedule} />
      {action.error && <ProblemNote error={action.error} reload={action.retry} action />}
    </section>
  );
};

/** The regions in which the page has regressed. */
const Regressed = ({ schedule: { watched } }: { schedule: Schedule }) => {
  const nameOf = useNamer(watched);
  const regressed = watched.filter(({ state }) => state === 'regressed');
  if (regressed.length === 0) return null;
  const texts = regressed.map(
    ({ region, metrics, interactions }) =>
      `${nameOf(region)}: ${[
        ...metrics.map((name) => pageMetric(name).title),
        ...interactions.map((interaction) => interactionMetricTitle({ interaction, metric: 'inp' })),
      ].join(', ')}`,
  );
  return <p class="note">⚠ The page has regressed. {texts.join('; ')}</p>;
};

/** Returns the path of the page over time. */
const pageOf = ({ url, device }: Schedule['check']) =>
  `/pages?${new URLSearchParams({ url, ...(device && { device }) })}`;

/** The last result: a link to its check, or why there is none. The reason may quote anything. */
const Last = ({ schedule }: { schedule: Schedule }) => {
  const now = useNow(30_000);
  const { last } = schedule;
  const text = <Quoted text={lastText(schedule)} />;
  return (
    <p>
      Last result: {last?.checkId ? <a href={`/checks/${last.checkId}`}>{text}</a> : text}
      {last && (
        <time class="muted" datetime={last.at} title={localTime(last.at)}>
          {' '}
          {ago(last.at, now)}
        </time>
      )}
    </p>
  );
};
