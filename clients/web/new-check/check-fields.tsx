import type { ComponentChildren } from 'preact';
import { MAX_SAMPLES, type Samples } from '../../../shared/options/audit-options.ts';
import { Field } from '../ui/field.tsx';
import { FieldError } from '../ui/field-error.tsx';
import { LoginFields, secretFields } from './login-fields.tsx';
import { moreFields } from './more-options.tsx';
import { Regions } from './regions.tsx';

const sampleCounts: Samples[] = [...Array.from({ length: MAX_SAMPLES }, (_, i) => i + 1), 'auto'];

/** Fields of a check, which show their own errors. */
const checkFields = ['url', 'regions', 'device', 'samples', ...moreFields, ...secretFields];

/** Returns the field that shows an error: the one with the longest name that the path begins with. */
export const fieldAt = (path: string, more: readonly string[] = []): string =>
  [...checkFields, ...more]
    .filter((field) => path === field || path.startsWith(`${field}.`))
    .reduce((longest, field) => (field.length > longest.length ? field : longest), '');

type Props = {
  used: { regions: readonly string[]; devices: readonly string[]; samples: Samples };
  messageOf: (field: string) => string | undefined;
  /** Says how long the service keeps the login of the page. */
  loginLife?: string;
  /** Parts between the samples and the login. */
  children?: ComponentChildren;
};

/** The inputs of a check beside its URL, for a check and for a schedule. */
export const CheckFields = ({ used, messageOf, loginLife = 'deletes them when the check ends', children }: Props) => (
  <>
    <Regions used={used.regions} message={messageOf('regions')} />
    <div class="row options">
      <fieldset>
        <legend>Device</legend>
        <label>
          <input type="checkbox" name="device" value="mobile" defaultChecked={used.devices.includes('mobile')} /> mobile
        </label>
        <label>
          <input type="checkbox" name="device" value="desktop" defaultChecked={used.devices.includes('desktop')} />{' '}
          desktop
        </label>
        <FieldError message={messageOf('device')} />
      </fieldset>
      <Field
        name="samples"
        label="Samples"
        class="beside-help"
        help="Verdicts need at least 3 samples. auto needs a second variant."
        message={messageOf('samples')}
      >
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
    {children}
    <LoginFields messageOf={messageOf} life={loginLife} />
  </>
);
