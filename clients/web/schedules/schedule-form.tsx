import type { TargetedEvent, TargetedSubmitEvent } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { secretNames } from '../../../shared/options/secrets.ts';
import { MAX_SCHEDULE_NAME } from '../../../shared/schedule-limits.ts';
import type { Schedule } from '../../../shared/schedules.ts';
import type { CreatedWebhook } from '../../../shared/webhooks.ts';
import { ServiceError } from '../../api/service-error.ts';
import { isCron, ownTimeZone } from '../../words/schedules.ts';
import { localTime } from '../../words/times.ts';
import { CheckFields, fieldAt } from '../new-check/check-fields.tsx';
import { MoreOptions } from '../new-check/more-options.tsx';
import { useAction } from '../requests/loading.ts';
import { readBody } from '../requests/requests.ts';
import { lastUsed, rememberUsed, usedBy } from '../session/last-used.ts';
import { Field, type InputAttributes } from '../ui/field.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { ProblemNote } from '../ui/problem.tsx';
import { isolated } from '../ui/title.ts';
import { createTold, TELL_URL } from '../webhooks/tell.ts';

const TellTarget = onDemand(() => import('../webhooks/tell-target.tsx').then((module) => module.TellTarget));
/** Name of the tick. */
const TELL = 'tell';

/** Loads how to read the form. The browser does so while the user fills it in. */
const scheduleInputs = () => import('./schedule-inputs.ts');

/** Fields beside those of a check, with the paths of their errors. */
const paths = {
  [TELL_URL]: /^tell-url$/,
  'schedule-name': /^name$/,
  times: /^every(\.cron)?$/,
  'time-zone': /^every\.timeZone$/,
} as const;
type FieldName = keyof typeof paths;

/** Returns the field that shows an error. */
const fieldOf = (path: string): string =>
  (Object.keys(paths) as FieldName[]).find((name) => paths[name].test(path)) ??
  (path.startsWith('check.') ? fieldAt(path.slice('check.'.length)) : '');

type Props = {
  /** The schedule that is edited. Without it, the form creates one. */
  schedule?: Schedule | undefined;
  /** Announces what is done. */
  onDone: (text: string) => void;
  /** Gets the webhook that the form has created, if it has. */
  onTold: (webhook: CreatedWebhook | undefined) => void;
  onCancel?: () => void;
};

/** The form of a new schedule, or of one that is edited. */
export const ScheduleForm = ({ schedule, onDone, onTold, onCancel }: Props) => {
  const form = useForm(onDone, onTold, schedule);
  const { error, messageOf } = form;
  const isShown = error?.errors.length && error.errors.every(({ path }) => fieldOf(path) !== '');
  const input = (name: string, attributes: InputAttributes, more: object = {}) => (
    <input type="text" name={name} spellcheck={false} {...more} {...attributes} />
  );
  const { name, every, check } = schedule ?? {};
  const [used] = useState(() => (check ? usedBy(check) : lastUsed()));
  const title = schedule ? `Edit ${isolated(schedule.name)}` : 'New schedule';
  return (
    <form class="panel" aria-label={title} onSubmit={form.submit} onReset={form.reset} onInput={form.edit} noValidate>
      {schedule && <h2 class="break">{title}</h2>}
      <div class="row fields">
        <Field name="schedule-name" label="Name" message={messageOf('schedule-name')} class="grow">
          {(attributes) => input('schedule-name', attributes, { maxLength: MAX_SCHEDULE_NAME, defaultValue: name })}
        </Field>
        <Field name="schedule-url" label="URL" message={messageOf('url')} class="grow">
          {(attributes) =>
            input('url', attributes, { inputmode: 'url', placeholder: 'example.com', defaultValue: check?.url })
          }
        </Field>
      </div>
      <div class="row fields">
        <Field
          name="times"
          label="Every"
          help="An interval such as 30m, 6h or 1d, or cron such as 0 6 * * 1-5."
          message={messageOf('times')}
          class="grow"
        >
          {(attributes) => input('times', attributes, { placeholder: '6h', defaultValue: timesOf(every) })}
        </Field>
        {form.hasZone && (
          <Field
            name="time-zone"
            label="Time zone"
            help="The times of cron are in this time zone."
            message={messageOf('time-zone')}
            class="grow"
          >
            {(attributes) =>
              input('time-zone', attributes, {
                defaultValue: typeof every === 'object' ? every.timeZone : ownTimeZone(),
              })
            }
          </Field>
        )}
      </div>
      <CheckFields used={used} messageOf={messageOf} loginLife="keeps them as long as the schedule">
        {!schedule && <MoreOptions messageOf={messageOf} />}
        {check && hasLogin(check) && (
          <label>
            <input type="checkbox" name="forget-login" /> Forget the login of the page. Without this, an empty login
            below keeps it.
          </label>
        )}
      </CheckFields>
      <Told message={messageOf(TELL_URL)} />
      {schedule && <p class="muted">The other options of the check stay as they are.</p>}
      <p class="row">
        <button type="submit" class="primary" disabled={form.busy}>
          {schedule ? 'Save' : 'Create a schedule'}
        </button>
        {onCancel && (
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        )}
      </p>
      {error && !isShown && <ProblemNote error={error} reload={form.retry} action />}
    </form>
  );
};

/** The field that asks for a message when the page gets worse, and for its recipient. */
const Told = ({ message }: { message: string | undefined }) => {
  const [isTold, setTold] = useState(false);
  return (
    <div class="row fields">
      <label class="inline">
        <input type="checkbox" name={TELL} checked={isTold} onChange={() => setTold(!isTold)} /> Tell me when it gets
        worse
      </label>
      {isTold && <TellTarget message={message} />}
    </div>
  );
};

type ScheduledCheck = Schedule['check'];
const hasLogin = (check: ScheduledCheck): boolean => secretNames.some((name) => check[name] !== undefined);
const timesOf = (every: Schedule['every'] | undefined) => (typeof every === 'object' ? every.cron : every);

/** Returns the state of the form, and what its events do. */
const useForm = (onDone: Props['onDone'], onTold: Props['onTold'], schedule: Schedule | undefined) => {
  const [hasZone, setHasZone] = useState(isCron(timesOf(schedule?.every) ?? ''));
  const created = useRef<string[]>([]); // bodies of this form, so that a retry creates none of them twice
  const action = useAction(async (form: HTMLFormElement) => {
    const data = new FormData(form);
    const { scheduleFaultsOf } = await scheduleInputs();
    const errors = scheduleFaultsOf(data, schedule !== undefined);
    if (errors[0]) throw new ServiceError('problem', errors[0].message, { status: 400, errors });
    if (data.has(TELL)) onTold(await createTold(data));
    onDone(schedule ? await saveEdit(data, schedule) : await createAll(data, created.current));
    if (schedule) return;
    created.current = [];
    form.reset();
  });
  return {
    ...action,
    hasZone,
    messageOf: (field: string) => action.error?.errors.find(({ path }) => fieldOf(path) === field)?.message,
    submit: (event: TargetedSubmitEvent<HTMLFormElement>) => {
      event.preventDefault();
      return action.run(event.currentTarget);
    },
    reset: () => setHasZone(false),
    edit: ({ currentTarget }: TargetedEvent<HTMLFormElement>) => {
      scheduleInputs().catch(() => undefined); // the submit loads it again, and says why it fails
      setHasZone(isCron(String(new FormData(currentTarget).get('times'))));
      // A form that its user changes must not go out by itself.
      if (action.error?.kind === 'too-many') action.clear();
    },
  };
};

const saveEdit = async (form: FormData, schedule: Schedule): Promise<string> => {
  const body = (await scheduleInputs()).editOf(form, schedule);
  const { name } = await readBody<Schedule>(`/v1/schedules/${schedule.id}`, { method: 'PATCH', body });
  return `The schedule ${isolated(name)} is changed.`;
};

/** Creates the schedules that a form describes, without those that it has created. Returns what to announce. */
const createAll = async (form: FormData, created: string[]): Promise<string> => {
  const texts: string[] = [];
  const { newSchedulesOf } = await scheduleInputs();
  for (const body of newSchedulesOf(form)) {
    if (created.includes(JSON.stringify(body))) continue;
    const { name, nextAt } = await readBody<Schedule>('/v1/schedules', { method: 'POST', body });
    created.push(JSON.stringify(body));
    texts.push(
      `The schedule ${isolated(name)} is created.${nextAt ? ` Its first check is at ${localTime(nextAt)}.` : ''}`,
    );
  }
  rememberUsed(form);
  return texts.join(' ');
};
