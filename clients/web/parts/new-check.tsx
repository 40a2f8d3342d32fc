import type { TargetedSubmitEvent } from 'preact';
import { useRef } from 'preact/hooks';
import { MAX_SAMPLES } from '../../../shared/audit-options.ts';
import type { RegionList } from '../../../shared/offer.ts';
import { ServiceError } from '../../api/service-error.ts';
import { faultsOf, inputsOf, optionFields } from '../form-inputs.ts';
import { useAction, useLoaded } from '../loading.ts';
import { createCheck, type Failure, newIdempotencyKey } from '../requests.ts';
import { navigate } from '../router.ts';
import { againstFields, CompareWith } from './compare-with.tsx';
import { Field } from './field.tsx';
import { LoginFields, secretFields } from './login-fields.tsx';
import { MoreOptions, moreFields } from './more-options.tsx';
import { ProblemNote } from './problem.tsx';

/** Regions that a new check has at first, if the service has them. */
const usual = ['us-west1', 'europe-north1'];

const sampleCounts = Array.from({ length: MAX_SAMPLES }, (_, i) => i + 1);

/** Fields of the form, which show their own errors. */
const fields = ['url', 'regions', ...moreFields, ...secretFields, 'against', ...againstFields];

/** Returns the field that shows an error: the one with the longest name that the path begins with. */
const fieldOf = (path: string) =>
  fields
    .filter((field) => path === field || path.startsWith(`${field}.`))
    .reduce((longest, field) => (field.length > longest.length ? field : longest), '');

/** Returns the text of an error. The entry of a list is named by its number, and a part of JSON by its path. */
const textOf = ({ path, message }: Failure['errors'][number]) => {
  const field = optionFields.find(({ name, kind }) => kind === 'json' && path.startsWith(`${name}.`));
  if (field) return `${path.slice(field.name.length + 1)}: ${message}`;
  const [, index] = /\.(\d+)$/.exec(path) ?? [];
  return index === undefined ? message : `Entry ${Number(index) + 1}: ${message}`;
};

/** The form of a new check. */
export const NewCheck = () => {
  const offer = useLoaded<RegionList>('/v1/regions');
  const form = useForm();
  const { error, busy, submit } = form;
  const errors = error?.errors ?? [];
  const messageOf = (field: string) => {
    const found = errors.find(({ path }) => fieldOf(path) === field);
    return found && textOf(found);
  };
  const isShown = errors.length > 0 && errors.every(({ path }) => fieldOf(path) !== '');
  return (
    <form class="panel new-check" aria-label="New check" onSubmit={submit} onInput={form.edit} novalidate>
      <div class="row">
        <Field name="url" label="URL" message={messageOf('url')} class="grow">
          {(input) => (
            <input
              type="url"
              name="url"
              inputmode="url"
              autocomplete="url"
              placeholder="https://example.com/"
              {...input}
            />
          )}
        </Field>
        <button type="submit" class="primary" disabled={busy}>
          {busy ? 'Starting…' : 'Audit'}
        </button>
      </div>
      <Regions regions={offer.data?.regions} failed={offer.error !== undefined} message={messageOf('regions')} />
      <div class="row">
        <fieldset>
          <legend>Device</legend>
          <label>
            <input type="radio" name="device" value="mobile" checked /> mobile
          </label>
          <label>
            <input type="radio" name="device" value="desktop" /> desktop
          </label>
        </fieldset>
        <label class="inline">
          Samples per region
          <select name="samples">
            {sampleCounts.map((count) => (
              <option key={count} value={count} selected={count === 3}>
                {count}
              </option>
            ))}
          </select>
        </label>
        <p class="muted">Verdicts need at least 3 samples.</p>
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
  const action = useAction(async (form: FormData) => {
    const errors = faultsOf(form);
    if (errors[0]) throw new ServiceError('problem', errors[0].message, { status: 400, errors });
    const inputs = inputsOf(form);
    const body = JSON.stringify(inputs);
    // The same form sent again after a failure is the same check.
    if (attempt.current.body !== body) attempt.current = { body, key: newIdempotencyKey() };
    const { id } = await createCheck(inputs, attempt.current.key);
    navigate(`/checks/${id}`);
  });
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    return action.run(new FormData(event.currentTarget));
  };
  // A form that its user changes must not go out by itself.
  const edit = () => action.error?.kind === 'too-many' && action.clear();
  return { ...action, submit, edit };
};

type RegionsProps = { regions: RegionList['regions'] | undefined; failed: boolean; message: string | undefined };

const Regions = ({ regions, failed, message }: RegionsProps) => {
  const open: readonly string[] = regions?.filter(({ pausedAt }) => pausedAt === null).map(({ id }) => id) ?? [];
  const chosen = usual.some((each) => open.includes(each)) ? usual : open.slice(0, 2);
  return (
    <fieldset class={`regions ${regions ? '' : 'loading'}`} aria-describedby={message ? 'regions-error' : undefined}>
      <legend>Regions</legend>
      {regions?.map((region) => (
        <RegionBox key={region.id} region={region} checked={chosen.includes(region.id)} />
      ))}
      {!regions && failed && <p>The regions did not load. The page retries by itself.</p>}
      {message && (
        <p id="regions-error" class="error" role="alert">
          {message}
        </p>
      )}
    </fieldset>
  );
};

type RegionBoxProps = { region: RegionList['regions'][number]; checked: boolean };

/** The box of a region. A paused region takes no checks. A region without a recent success does, and may fail. */
const RegionBox = ({ region: { id, available, pausedAt }, checked }: RegionBoxProps) => {
  const isPaused = pausedAt !== null;
  const reason = isPaused ? 'paused by the operator' : !available && 'no recent success';
  return (
    <label class={isPaused ? 'muted' : undefined}>
      <input type="checkbox" name="regions" value={id} defaultChecked={checked && !isPaused} disabled={isPaused} /> {id}
      {reason && ` (${reason})`}
    </label>
  );
};
