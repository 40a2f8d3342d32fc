import type { TargetedEvent, TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import { devices } from '../../../shared/audit-options.ts';
import type { Schedule } from '../../../shared/schedules.ts';
import { everyOf, isCron, ownTimeZone } from '../../words/schedules.ts';
import { localTime } from '../../words/times.ts';
import { withScheme } from '../form-inputs.ts';
import { lastUsed } from '../last-used.ts';
import { useAction } from '../loading.ts';
import { readBody } from '../requests.ts';
import { isolated } from '../title.ts';
import { Field, type InputAttributes } from './field.tsx';
import { ProblemNote } from './problem.tsx';
import { Regions } from './regions.tsx';

/** The fields, with the beginning of the paths of their errors. */
const paths = {
  'schedule-name': /^name$/,
  'schedule-url': /^check\.url$/,
  times: /^every(\.cron)?$/,
  'time-zone': /^every\.timeZone$/,
  regions: /^check\.regions/,
  device: /^check\.device$/,
} as const;
type FieldName = keyof typeof paths;
const fieldOf = (path: string) => (Object.keys(paths) as FieldName[]).find((name) => paths[name].test(path));

/** Returns the body of a create. */
const bodyOf = (form: FormData) => {
  const text = (name: FieldName) => String(form.get(name) ?? '').trim();
  const url = text('schedule-url');
  return {
    name: text('schedule-name'),
    every: everyOf(text('times'), form.has('time-zone') ? text('time-zone') : undefined),
    check: {
      url: url && withScheme(url),
      auditVersion: 'latest',
      regions: form.getAll('regions').map(String),
      device: text('device'),
    },
  };
};

/** The form of a new schedule. `onCreated` announces it. */
export const NewSchedule = ({ onCreated }: { onCreated: (text: string) => void }) => {
  const form = useForm(onCreated);
  const { error, messageOf } = form;
  const isShown = error?.errors.length && error.errors.every(({ path }) => fieldOf(path));
  const input = (name: FieldName, attributes: InputAttributes, more: object = {}) => (
    <input type="text" name={name} spellcheck={false} {...more} {...attributes} />
  );
  return (
    <form
      class="panel"
      aria-label="New schedule"
      onSubmit={form.submit}
      onReset={form.reset}
      onInput={form.edit}
      noValidate
    >
      <div class="row fields">
        <Field name="schedule-name" label="Name" message={messageOf('schedule-name')} class="grow">
          {(attributes) => input('schedule-name', attributes, { maxLength: 100 })}
        </Field>
        <Field name="schedule-url" label="URL" message={messageOf('schedule-url')} class="grow">
          {(attributes) => input('schedule-url', attributes, { inputmode: 'url', placeholder: 'example.com' })}
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
          {(attributes) => input('times', attributes, { placeholder: '6h' })}
        </Field>
        {form.hasZone && (
          <Field
            name="time-zone"
            label="Time zone"
            help="The times of cron are in this time zone."
            message={messageOf('time-zone')}
            class="grow"
          >
            {(attributes) => input('time-zone', attributes, { defaultValue: ownTimeZone() })}
          </Field>
        )}
        <Field name="device" label="Device" message={messageOf('device')}>
          {(attributes) => (
            <select name="device" {...attributes}>
              {devices.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <Regions used={lastUsed().regions} message={messageOf('regions')} />
      <p>
        <button type="submit" class="primary" disabled={form.busy}>
          Create a schedule
        </button>
      </p>
      {error && !isShown && <ProblemNote error={error} reload={form.retry} action />}
    </form>
  );
};

/** Returns the state of the form, and what its events do. */
const useForm = (onCreated: (text: string) => void) => {
  const [hasZone, setHasZone] = useState(false);
  const action = useAction(async (form: HTMLFormElement) => {
    const body = bodyOf(new FormData(form));
    const { name, nextAt } = await readBody<Schedule>('/v1/schedules', { method: 'POST', body });
    form.reset();
    onCreated(
      `The schedule ${isolated(name)} is created.${nextAt ? ` Its first check is at ${localTime(nextAt)}.` : ''}`,
    );
  });
  return {
    ...action,
    hasZone,
    messageOf: (field: FieldName) => action.error?.errors.find(({ path }) => fieldOf(path) === field)?.message,
    submit: (event: TargetedSubmitEvent<HTMLFormElement>) => {
      event.preventDefault();
      return action.run(event.currentTarget);
    },
    reset: () => setHasZone(false),
    edit: ({ currentTarget }: TargetedEvent<HTMLFormElement>) => {
      setHasZone(isCron(String(new FormData(currentTarget).get('times'))));
      // A form that its user changes must not go out by itself.
      if (action.error?.kind === 'too-many') action.clear();
    },
  };
};
