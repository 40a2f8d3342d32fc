import type { TargetedEvent } from 'preact';
import { useState } from 'preact/hooks';
import { bounds, presets } from '../../../shared/options/throttling.ts';
import { grouped } from '../../../shared/text.ts';
import { Field } from '../ui/field.tsx';
import { useFirstValues } from './form-values.ts';
import { throttlingFields } from './throttling.ts';

/** The throttling of a new check: the preset of its device, none, or values. */
type Props = { messageOf: (path: string) => string | undefined; prefix?: 'against.' };

export const ThrottlingField = ({ messageOf, prefix }: Props) => {
  const name = `${prefix ?? ''}throttling`;
  const first = useFirstValues();
  const [{ kind, device }, setState] = useState<{ kind: string; device: 'mobile' | 'desktop' }>({
    kind: first.get(name) ?? '',
    device: 'mobile',
  });
  const choose = ({ currentTarget: { value, form } }: TargetedEvent<HTMLSelectElement>) => {
    const isDesktop = form !== null && deviceIn(new FormData(form), prefix) === 'desktop';
    setState({ kind: value, device: isDesktop ? 'desktop' : 'mobile' });
  };
  return (
    <>
      <Field name={name} label={prefix ? 'Or with this throttling' : 'Throttling'} message={messageOf(name)}>
        {(input) => (
          <select name={name} {...input} onChange={choose}>
            <option value="">{prefix ? 'the same' : 'preset of the device'}</option>
            <option value="none" selected={kind === 'none'}>
              none
            </option>
            <option value="custom" selected={kind === 'custom'}>
              custom values
            </option>
          </select>
        )}
      </Field>
      {kind === 'custom' && (
        <fieldset class="wide">
          <legend>Custom throttling</legend>
          {throttlingFields.map((field) => (
            <Value
              key={field.name}
              name={`${name}.${field.name}`}
              field={field}
              preset={first.get(`${name}.${field.name}`) || presets[device][field.name]}
              message={messageOf(`${name}.${field.name}`)}
            />
          ))}
        </fieldset>
      )}
    </>
  );
};

/** Returns the device of a variant. The second one has that of the first, unless it changes it. */
const deviceIn = (form: FormData, prefix = '') => form.get(`${prefix}device`) || form.get('device');

type ValueProps = {
  name: string;
  field: (typeof throttlingFields)[number];
  preset: number | string;
  message: string | undefined;
};

const Value = ({ name, field, preset, message }: ValueProps) => {
  const { label, unit } = field;
  const [min, max] = bounds[field.name];
  return (
    <Field name={name} label={`${label} (${unit})`} message={message} help={`${grouped(min)} to ${grouped(max)}`}>
      {(input) => (
        <input
          type="number"
          name={name}
          inputmode="decimal"
          step="any"
          min={min}
          max={max}
          defaultValue={preset}
          {...input}
        />
      )}
    </Field>
  );
};
