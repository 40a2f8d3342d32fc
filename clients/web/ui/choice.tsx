import { Field } from './field.tsx';

type Props = {
  name: string;
  label: string;
  values: readonly string[];
  /** Words for the values. */
  names?: Readonly<Record<string, string>>;
  chosen?: string | null;
  message: string | undefined;
  /** Name of the first option, which filters nothing. */
  all?: string;
};

/** A filter with a few values. */
export const Choice = ({ name, label, values, names = {}, chosen, message, all }: Props) => (
  <Field name={`filter-${name}`} label={label} message={message}>
    {(input) => (
      <select name={name} {...input}>
        {all !== undefined && <option value="">{all}</option>}
        {values.map((each) => (
          <option key={each} value={each} selected={each === chosen}>
            {names[each] ?? each}
          </option>
        ))}
      </select>
    )}
  </Field>
);
