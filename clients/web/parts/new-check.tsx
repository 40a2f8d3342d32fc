import type { TargetedKeyboardEvent, TargetedSubmitEvent } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { MAX_SAMPLES } from '../../../shared/audit-options.ts';
import { ServiceError } from '../../api/service-error.ts';
import { messageAt } from '../field-messages.ts';
import { checksOf, faultsOf, MAX_URLS } from '../form-inputs.ts';
import { lastUsed, rememberUsed } from '../last-used.ts';
import { useAction } from '../loading.ts';
import { createCheck, newIdempotencyKey } from '../requests.ts';
import { navigate } from '../router.ts';
import { againstFields, CompareWith } from './compare-with.tsx';
import { Field } from './field.tsx';
import { FieldError } from './field-error.tsx';
import { LoginFields, secretFields } from './login-fields.tsx';
import { MoreOptions, moreFields } from './more-options.tsx';
import { ProblemNote } from './problem.tsx';
import { Regions } from './regions.tsx';

const sampleCounts = Array.from({ length: MAX_SAMPLES }, (_, i) => i + 1);

/** Fields of the form, which show their own errors. */
const fields = ['url', 'regions', 'device', ...moreFields, ...secretFields, 'against', ...againstFields];

/** Returns the field that shows an error: the one with the longest name that the path begins with. */
const fieldOf = (path: string) =>
  fields
    .filter((field) => path === field || path.startsWith(`${field}.`))
    .reduce((longest, field) => (field.length > longest.length ? field : longest), '');

/** The form of a new check. */
export const NewCheck = ({ url }: { url: string }) => {
  const [used] = useState(lastUsed);
  const form = useForm();
  const { error, busy, submit } = form;
  const errors = error?.errors ?? [];
  const messageOf = (field: string) => {
    const found = errors.find(({ path }) => fieldOf(path) === field);
    if (!found) return undefined;
    return form.failedUrl && field === 'url' ? `${form.failedUrl}: ${messageAt(found)}` : messageAt(found);
  };
  const isShown = errors.length > 0 && errors.every(({ path }) => fieldOf(path) !== '');
  return (
    <form class="panel new-check" aria-label="New check" onSubmit={submit} onInput={form.edit} novalidate>
      <div class="row urls-row">
        <Field name="url" label="URL" message={messageOf('url')} class="grow">
          {(input) => (
            <textarea
              class="urls"
              name="url"
              rows={1}
              inputmode="url"
              autocomplete="url"
              spellcheck={false}
              placeholder="example.com"
              defaultValue={url}
              onKeyDown={submitOnEnter}
              {...input}
            />
          )}
        </Field>
        <button type="submit" class="primary" disabled={busy}>
          {busy ? `Starting${form.progress}…` : 'Audit'}
        </button>
      </div>
      <p class="muted">
        Up to {MAX_URLS} URLs at once: paste a list, or press Shift and Enter for a new line. https:// is added for you.
      </p>
      <Regions used={used.regions} message={messageOf('regions')} />
      <div class="row options">
        <fieldset>
          <legend>Device</legend>
          <label>
            <input type="checkbox" name="device" value="mobile" defaultChecked={used.devices.includes('mobile')} />{' '}
            mobile
          </label>
          <label>
            <input type="checkbox" name="device" value="desktop" defaultChecked={used.devices.includes('desktop')} />{' '}
            desktop
          </label>
          <FieldError message={messageOf('device')} />
        </fieldset>
        <Field name="samples" label="Samples per region" class="beside-help" help="Verdicts need at least 3 samples.">
          {(input) => (
            <select name="samples" {...input}>
              {sampleCounts.map((count) => (
                <option key={count} value={count} selected={count === used.samples}>
                  {count}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <CompareWith messageOf={messageOf} />
      <MoreOptions messageOf={messageOf} />
      <LoginFields messageOf={messageOf} />
      {error && !isShown && <ProblemNote error={error} reload={form.retry} action />}
    </form>
  );
};

/** Returns the state of the form, and the function that sends it. */
const useForm = () => {
  const attempt = useRef({ body: '', key: '' });
  const [current, setCurrent] = useState<{ failedUrl?: string; progress?: string }>({});
  const action = useAction(async (form: FormData) => {
    setCurrent({});
    const errors = faultsOf(form);
    if (errors[0]) throw new ServiceError('problem', errors[0].message, { status: 400, errors });
    const body = JSON.stringify(checksOf(form, ''));
    // The same form sent again after a failure is the same check.
    if (attempt.current.body !== body) attempt.current = { body, key: newIdempotencyKey() };
    const { key } = attempt.current;
    const batch = key.slice(0, 8);
    const checks = checksOf(form, batch);
    const several = checks.length > 1;
    const ids: string[] = [];
    for (const [i, check] of checks.entries()) {
      setCurrent(several ? { failedUrl: check.url, progress: ` ${i + 1} of ${checks.length}` } : {});
      ids.push((await createCheck(check, i === 0 ? key : `${key}-${i}`)).id);
    }
    rememberUsed(form);
    navigate(several ? `/?label=batch:${batch}` : `/checks/${ids[0]}`);
  });
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    return action.run(new FormData(event.currentTarget));
  };
  // A form that its user changes must not go out by itself.
  const edit = () => action.error?.kind === 'too-many' && action.clear();
  return { ...action, progress: '', failedUrl: '', ...current, submit, edit };
};

/** Enter sends the form. With Shift it begins a new line. */
const submitOnEnter = (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
};
