import { devices } from '../../../shared/options/audit-options.ts';
import { againstNames } from '../../../shared/options/variants.ts';
import type { VersionList } from '../../../shared/service/offer.ts';
import { useLoaded } from '../requests/loading.ts';
import { Field } from '../ui/field.tsx';
import { FieldError } from '../ui/field-error.tsx';
import { useFirstValues } from './form-values.ts';
import { variantFields } from './option-fields.ts';
import { throttlingFields } from './throttling.ts';
import { ThrottlingField } from './throttling-field.tsx';

/** Inputs of the second variant that have an error of their own here. */
export const againstFields = [
  ...againstNames.map((name) => `against.${name}`),
  ...throttlingFields.map(({ name }) => `against.throttling.${name}`),
];

/** The second variant of a check. An empty field is as in the check. */
export const CompareWith = ({ messageOf }: { messageOf: (field: string) => string | undefined }) => {
  const { data } = useLoaded<VersionList>('/v1/audit/versions');
  const first = useFirstValues();
  const wrong = ['against', ...againstFields].some(messageOf);
  const isFilled = ['against.nothingBlocked', ...againstFields].some((name) => first.get(name));
  return (
    <details open={wrong || isFilled}>
      <summary>
        Compare with:{' '}
        <span class="muted">another URL, device, version, throttling or blocked requests, audited in turns</span>
      </summary>
      <FieldError message={messageOf('against')} />
      <Field
        name="against.url"
        label="Compare with this URL"
        message={messageOf('against.url')}
        help="For example production, if the URL above is a preview. Change at least one field here."
      >
        {(input) => (
          <input
            type="text"
            name="against.url"
            inputmode="url"
            placeholder="example.com"
            defaultValue={first.get('against.url')}
            {...input}
          />
        )}
      </Field>
      <div class="row">
        <Choice
          name="against.device"
          label="Or on this device"
          values={devices}
          message={messageOf('against.device')}
        />
        <Choice
          name="against.auditVersion"
          label="Or with this Lighthouse version"
          values={data?.versions.map(({ version }) => version) ?? []}
          message={messageOf('against.auditVersion')}
        />
        <ThrottlingField messageOf={messageOf} prefix="against." />
      </div>
      {variantFields.map(({ name, title, help }) => (
        <Field
          key={name}
          name={`against.${name}`}
          label={`Or with these: ${title}`}
          message={messageOf(`against.${name}`)}
          help={help}
        >
          {(input) => (
            <textarea
              name={`against.${name}`}
              rows={2}
              spellcheck={false}
              defaultValue={first.get(`against.${name}`)}
              {...input}
            />
          )}
        </Field>
      ))}
      <label class="inline">
        <input
          type="checkbox"
          name="against.nothingBlocked"
          value="yes"
          defaultChecked={first.get('against.nothingBlocked') === 'yes'}
        />{' '}
        Or with nothing blocked
      </label>
    </details>
  );
};

type ChoiceProps = { name: string; label: string; values: readonly string[]; message: string | undefined };

const Choice = ({ name, label, values, message }: ChoiceProps) => {
  const first = useFirstValues().get(name);
  return (
    <Field name={name} label={label} message={message}>
      {(input) => (
        <select name={name} {...input}>
          <option value="">the same</option>
          {values.map((value) => (
            <option key={value} value={value} selected={value === first}>
              {value}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
};
