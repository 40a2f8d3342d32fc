import { useState } from 'preact/hooks';
import type { Schedule, ScheduleList } from '../../../shared/schedules.ts';
import type { CreatedWebhook } from '../../../shared/webhooks.ts';
import { useLoaded } from '../requests/loading.ts';
import { readKey } from '../session/session.ts';
import { onDemand } from '../ui/on-demand.tsx';
import { Pending, ProblemNote } from '../ui/problem.tsx';
import { useTitle } from '../ui/title.ts';
import { SchedulePanel } from './schedule.tsx';
import { ScheduleForm } from './schedule-form.tsx';

const NewSecret = onDemand(() => import('../webhooks/webhook.tsx').then((module) => module.NewSecret));
const REFRESH_SECONDS = 30;

/** The schedules of the caller, oldest first, and the form of a new one. */
export const SchedulesPage = () => {
  useTitle('Schedules');
  const loaded = useLoaded<ScheduleList>('/v1/schedules', {
    isFinished: ({ schedules }) => schedules.every(({ nextAt }) => nextAt === null),
    refreshSeconds: REFRESH_SECONDS,
  });
  const [news, setNews] = useState('');
  const change = (text: string) => {
    setNews(text);
    loaded.reload();
  };
  return (
    <>
      <h1>Schedules</h1>
      <p>
        A schedule audits a page again and again. Its results are on <a href="/pages">your pages</a>.
      </p>
      {loaded.error?.kind === 'refused' ? <Refused {...loaded} /> : <Schedules {...{ loaded, news, change }} />}
    </>
  );
};

type Loaded = ReturnType<typeof useLoaded<ScheduleList>>;

/** The service refuses the list, for example to a key without the scope. */
const Refused = (loaded: Loaded) => (
  <>
    <Pending error={loaded.error} reload={loaded.reload} />
    {readKey() !== null && <p>Forget the key at the top of the page, and enter one that has the scope.</p>}
  </>
);

type SchedulesProps = { loaded: Loaded; news: string; change: (text: string) => void };

const Schedules = ({ loaded, news, change }: SchedulesProps) => {
  const { data, error, reload } = loaded;
  const [editing, setEditing] = useState<Schedule>();
  const [told, setTold] = useState<CreatedWebhook>();
  const done = (text: string) => {
    setEditing(undefined);
    change(text);
  };
  const edit = (schedule: Schedule) => {
    setEditing(schedule);
    requestAnimationFrame(() => document.getElementById('schedule-name')?.focus());
  };
  return (
    <>
      {editing ? (
        <ScheduleForm
          key={editing.id}
          schedule={editing}
          onDone={done}
          onTold={setTold}
          onCancel={() => setEditing(undefined)}
        />
      ) : (
        <ScheduleForm key="new" onDone={done} onTold={setTold} />
      )}
      <p role="status">{news}</p>
      {told?.format === 'standard' && <NewSecret key={told.id} secret={told.secret} of={told.url} />}
      {error && data && <ProblemNote error={error} reload={reload} />}
      {data ? (
        data.schedules.map((each) => (
          <SchedulePanel key={each.id} schedule={each} change={change} edit={() => edit(each)} />
        ))
      ) : (
        <Pending {...loaded} rows={3} />
      )}
      {data?.schedules.length === 0 && (
        <p class="empty">There is no schedule yet. Enter the URL of a page and how often to audit it above.</p>
      )}
    </>
  );
};
