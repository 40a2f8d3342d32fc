import { Field } from './field.tsx';

type Props = {
  name: string;
  label: string;
  values: readonly string[];
  chosen?: string | null;
  message: string | undefined;
  /** Name of the first option, which filters nothing. */
  all?: string;
};

/** A filter with a few values. */
export const Choice = ({ name, label, values, chosen, message, all }: Props) => (
  <Field name={`filter-${name}`} label={label} message={message}>
    {(input) => (
      <select name={name} {...input}>
        {all !== undefined && <option value="">{all}</option>}
        {values.map((each) => (
          <option key={each} selected={each === chosen}>
            {each}
          </option>
        ))}
      </select>
    )}
  </Field>
);
