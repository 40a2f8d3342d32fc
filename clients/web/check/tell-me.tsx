import type { TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import type { CheckView } from '../../../shared/check.ts';
import { secretNames } from '../../../shared/options/secrets.ts';
import { MAX_SCHEDULE_NAME } from '../../../shared/schedule-limits.ts';
import type { Schedule, ScheduleList } from '../../../shared/schedules.ts';
import type { CreatedWebhook } from '../../../shared/webhooks.ts';
import { everyText } from '../../words/schedules.ts';
import { localTime } from '../../words/times.ts';
import { useAction } from '../requests/loading.ts';
import { messageOf, readBody } from '../requests/requests.ts';
import { Choice } from '../ui/choice.tsx';
import { ProblemNote } from '../ui/problem.tsx';
import { createTold, TELL_URL } from '../webhooks/tell.ts';
import { TellTarget } from '../webhooks/tell-target.tsx';
import { NewSecret } from '../webhooks/webhook.tsx';
import { inputsOfCheck } from './repeated-inputs.ts';

const intervals = { '1h': 'every hour', '6h': 'every 6 hours', '1d': 'every day', '7d': 'every week' };

/** Watches the page of a check: a schedule audits it, and a webhook reports when it got worse. */
export const TellMe = ({ check }: { check: CheckView }) => {
  const [made, setMade] = useState<{ webhook?: CreatedWebhook | undefined; schedule?: Schedule }>({});
  const { error, busy, run, retry } = useAction(async (form: FormData) => {
    const webhook = made.webhook ?? (await createTold(form)); // a retry creates no second one
    setMade({ webhook });
    const schedule = (await scheduleOf(check)) ?? (await createSchedule(check, String(form.get('every'))));
    setMade({ webhook, schedule });
  });
  if (secretNames.some((name) => check[name] !== undefined)) {
    return (
      <p class="panel">
        The check had a login, which the service has deleted. <a href="/schedules">Create a schedule</a> with the login,
        and tick there that you want to be told.
      </p>
    );
  }
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    return run(new FormData(event.currentTarget));
  };
  const message = messageOf(error?.errors ?? [], TELL_URL);
  return (
    <div class="panel">
      <h2>Tell me when it gets worse</h2>
      {made.schedule ? (
        <Made {...made} schedule={made.schedule} />
      ) : (
        <form class="row" aria-label="Tell me when it gets worse" onSubmit={submit} noValidate>
          <TellTarget message={message} />
          <Choice
            name="every"
            label="Audit it"
            values={Object.keys(intervals)}
            names={intervals}
            chosen="1d"
            message={undefined}
          />
          <button type="submit" class="primary" disabled={busy}>
            Tell me
          </button>
        </form>
      )}
      {error && !message && <ProblemNote error={error} reload={retry} action />}
    </div>
  );
};

const Made = ({ webhook, schedule }: { webhook?: CreatedWebhook | undefined; schedule: Schedule }) => (
  <div role="status">
    <p>
      ✔ You will be told. The page is audited {everyText(schedule.every)}
      {schedule.nextAt && `, next at ${localTime(schedule.nextAt)}`}. <a href="/schedules">Schedules</a>{' '}
      <a href="/webhooks">Webhooks</a>
    </p>
    {webhook?.format === 'standard' && <NewSecret secret={webhook.secret} of={webhook.url} />}
  </div>
);

/** Returns the schedule that audits the page of a check on its device and in its regions, if there is one. */
const scheduleOf = async ({ url, device = 'mobile', regions }: CheckView): Promise<Schedule | undefined> => {
  const { schedules } = await readBody<ScheduleList>('/v1/schedules');
  return schedules.find(
    ({ check, pausedAt }) =>
      pausedAt === null &&
      check.url === url &&
      (check.device ?? 'mobile') === device &&
      regions.every((region) => check.regions?.includes(region)),
  );
};

const createSchedule = (check: CheckView, every: string): Promise<Schedule> => {
  const { labels: _, ...inputs } = inputsOfCheck(check);
  const name = check.url.replace(/^https?:\/\//, '').slice(0, MAX_SCHEDULE_NAME);
  return readBody('/v1/schedules', { method: 'POST', body: { name, every, check: inputs } });
};
