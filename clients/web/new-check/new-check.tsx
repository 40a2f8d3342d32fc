import type { TargetedKeyboardEvent, TargetedSubmitEvent } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { CheckView } from '../../../shared/check.ts';
import { secretNames } from '../../../shared/options/secrets.ts';
import { ServiceError } from '../../api/service-error.ts';
import { useAction } from '../requests/loading.ts';
import { createCheck, newIdempotencyKey } from '../requests/requests.ts';
import { navigate } from '../router.ts';
import { lastUsed, rememberUsed, usedBy } from '../session/last-used.ts';
import { Field } from '../ui/field.tsx';
import { ProblemNote } from '../ui/problem.tsx';
import { CheckFields, fieldAt } from './check-fields.tsx';
import { againstFields, CompareWith } from './compare-with.tsx';
import { BATCH, FirstValues, formValuesOf } from './form-values.ts';
import { MoreOptions } from './more-options.tsx';
import { MAX_URLS } from './option-fields.ts';

const ownFields = ['against', ...againstFields];
const fieldOf = (path: string) => fieldAt(path, ownFields);

/** Loads how to read the form. The browser does so while the user fills it in. */
const formInputs = () => import('./form-inputs.ts');

type Props = {
  url: string;
  /** The check that the form repeats, so that its user changes something. */
  again?: CheckView | undefined;
};

export const NewCheck = ({ url, again }: Props) => {
  const [used] = useState(() => (again ? usedBy(again) : lastUsed()));
  const [first] = useState(() => (again ? formValuesOf(again) : new Map<string, string>()));
  const form = useForm();
  const { error, busy, submit } = form;
  const errors = error?.errors ?? [];
  const messageOf = (field: string) => {
    const found = errors.find(({ path }) => fieldOf(path) === field);
    if (!found) return undefined;
    return form.failedUrl && field === 'url' ? `${form.failedUrl}: ${found.message}` : found.message;
  };
  const isShown = errors.length > 0 && errors.every(({ path }) => fieldOf(path) !== '');
  return (
    <FirstValues.Provider value={first}>
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
                defaultValue={again?.url ?? url}
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
          Up to {MAX_URLS} URLs at once: paste a list, or press Shift and Enter for a new line. https:// is added for
          you.
        </p>
        {again && secretNames.some((name) => again[name] !== undefined) && (
          <p class="note">The check had a login, which the service has deleted. Enter the login again below.</p>
        )}
        <CheckFields used={used} messageOf={messageOf}>
          <CompareWith messageOf={messageOf} />
          <MoreOptions messageOf={messageOf} />
        </CheckFields>
        {error && !isShown && <ProblemNote error={error} reload={form.retry} action />}
      </form>
    </FirstValues.Provider>
  );
};

/** Returns the state of the form, and the function that sends it. */
const useForm = () => {
  const attempt = useRef({ body: '', key: '' });
  const [current, setCurrent] = useState<{ failedUrl?: string; progress?: string }>({});
  const action = useAction(async (form: FormData) => {
    setCurrent({});
    const { checksOf, faultsOf } = await formInputs();
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
    navigate(several ? `/?label=${BATCH}:${batch}` : `/checks/${ids[0]}`);
  });
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    return action.run(new FormData(event.currentTarget));
  };
  // A form that its user changes must not go out by itself.
  const edit = () => {
    formInputs().catch(() => undefined); // the submit loads it again, and says why it fails
    if (action.error?.kind === 'too-many') action.clear();
  };
  return { ...action, progress: '', failedUrl: '', ...current, submit, edit };
};

/** Enter sends the form. With Shift it begins a new line. */
const submitOnEnter = (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
};
