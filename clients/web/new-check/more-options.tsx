import { useState } from 'preact/hooks';
import type { VersionList } from '../../../shared/service/offer.ts';
import { useLoaded } from '../requests/loading.ts';
import { Field } from '../ui/field.tsx';
import { FieldError } from '../ui/field-error.tsx';
import { useFirstValues } from './form-values.ts';
import { optionFields } from './option-fields.ts';
import { throttlingFields } from './throttling.ts';
import { ThrottlingField } from './throttling-field.tsx';

/** Inputs that have an error of their own here. */
export const moreFields = [
  'auditVersion',
  'throttling',
  ...throttlingFields.map(({ name }) => `throttling.${name}`),
  'categories',
  ...optionFields.map(({ name }) => name),
  'labels',
];

/** The inputs of a check that most people leave as they are. */
export const MoreOptions = ({ messageOf }: { messageOf: (field: string) => string | undefined }) => {
  const { data } = useLoaded<VersionList>('/v1/audit/versions');
  const first = useFirstValues();
  const [chosen, setChosen] = useState(first.get('auditVersion') ?? '');
  const versions = data?.versions ?? [];
  const { categories = [] } = versions.find(({ version }) => version === chosen) ?? versions[0] ?? {};
  const wrong = moreFields.some(messageOf);
  const isFilled = moreFields.some((name) => name !== 'auditVersion' && first.get(name));
  return (
    <details open={wrong || isFilled}>
      <summary>
        More:{' '}
        <span class="muted">version, throttling, categories, blocked requests, simulations, assertions, labels</span>
      </summary>
      <div class="row">
        <Field name="auditVersion" label="Lighthouse version" message={messageOf('auditVersion')}>
          {(input) => (
            <select name="auditVersion" {...input} onChange={(event) => setChosen(event.currentTarget.value)}>
              {versions.map(({ version, aliases }) => (
                <option key={version} value={version} selected={version === chosen}>
                  {version}
                  {aliases.includes('latest') ? ' (latest)' : ''}
                </option>
              ))}
            </select>
          )}
        </Field>
        <ThrottlingField messageOf={messageOf} />
        <fieldset>
          <legend>Only these categories</legend>
          {categories.map((category) => (
            <label key={category}>
              <input
                type="checkbox"
                name="categories"
                value={category}
                defaultChecked={first.get('categories')?.split(' ').includes(category)}
              />{' '}
              {category}
            </label>
          ))}
          <FieldError message={messageOf('categories')} />
        </fieldset>
      </div>
      {optionFields.map(({ name, title, help }) => (
        <Field key={name} name={name} label={title} message={messageOf(name)} help={help}>
          {(input) => <textarea name={name} rows={2} spellcheck={false} defaultValue={first.get(name)} {...input} />}
        </Field>
      ))}
      <Field
        name="labels"
        label="Labels"
        message={messageOf('labels')}
        help="One on each line, for example branch: main"
      >
        {(input) => <textarea name="labels" rows={2} defaultValue={first.get('labels')} {...input} />}
      </Field>
    </details>
  );
};
