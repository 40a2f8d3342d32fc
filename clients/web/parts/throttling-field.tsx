import type { TargetedEvent } from 'preact';
import { useState } from 'preact/hooks';
import { bounds, presets } from '../../../shared/throttling.ts';
import { throttlingFields } from '../throttling.ts';
import { Field } from './field.tsx';

/** The throttling of a new check: the preset of its device, none, or values. */
export const ThrottlingField = ({ messageOf }: { messageOf: (path: string) => string | undefined }) => {
  const [{ kind, device }, setState] = useState<{ kind: string; device: 'mobile' | 'desktop' }>({
    kind: '',
    device: 'mobile',
  });
  const choose = ({ currentTarget: { value, form } }: TargetedEvent<HTMLSelectElement>) => {
    const isDesktop = form !== null && new FormData(form).get('device') === 'desktop';
    setState({ kind: value, device: isDesktop ? 'desktop' : 'mobile' });
  };
  return (
    <>
      <Field name="throttling" label="Throttling" message={messageOf('throttling')}>
        {(input) => (
          <select name="throttling" {...input} onChange={choose}>
            <option value="">preset of the device</option>
            <option value="none">none</option>
            <option value="custom">custom values</option>
          </select>
        )}
      </Field>
      {kind === 'custom' && (
        <fieldset class="wide">
          <legend>Custom throttling</legend>
          {throttlingFields.map((field) => (
            <Value
              key={field.name}
              field={field}
              preset={presets[device][field.name]}
              message={messageOf(`throttling.${field.name}`)}
            />
          ))}
        </fieldset>
      )}
    </>
  );
};

type ValueProps = { field: (typeof throttlingFields)[number]; preset: number; message: string | undefined };

const Value = ({ field: { name, label, unit }, preset, message }: ValueProps) => {
  const [min, max] = bounds[name];
  return (
    <Field
      name={`throttling.${name}`}
      label={`${label} (${unit})`}
      message={message}
      help={`${min.toLocaleString('en')} to ${max.toLocaleString('en')}`}
    >
      {(input) => (
        <input
          type="number"
          name={`throttling.${name}`}
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
