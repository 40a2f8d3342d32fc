import type { ComponentChildren, TargetedEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { listParameter, type ParameterName } from '../../../shared/list-parameters.ts';
import { ELSEWHERE, runRegions } from '../../../shared/regions.ts';
import { Choice } from './choice.tsx';
import { Field } from './field.tsx';
import { hasOnePlace, usePlaces } from './places.ts';

type FormProps = {
  label: string;
  /** Values of the inputs, by their names. The address has them. */
  values: Readonly<Record<string, string>>;
  /** Gets the trimmed values of all inputs. */
  apply: (values: [name: string, value: string][]) => void;
  /** True if each change applies the filters. */
  eager?: boolean;
  children: ComponentChildren;
};

/** Filters of a list. The address may change by Back. An input that the user edits keeps its text until then. */
export const FilterForm = ({ label, values, apply, eager = false, children }: FormProps) => {
  const form = useRef<HTMLFormElement>(null);
  const address = JSON.stringify(values);
  useLayoutEffect(() => {
    for (const input of form.current?.querySelectorAll<HTMLInputElement>('[name]') ?? [])
      input.value = values[input.name] ?? '';
  }, [address]);
  const submit = (event: TargetedEvent<HTMLFormElement>) => {
    event.preventDefault();
    const sent = [...new FormData(event.currentTarget)];
    apply(sent.map(([name, value]) => [name, String(value).trim()]));
  };
  return (
    <form
      ref={form}
      class="row filters"
      aria-label={label}
      noValidate
      onSubmit={submit}
      {...(eager && { onChange: submit })}
    >
      {children}
    </form>
  );
};

type Props = { wrong: (name: string) => string | undefined };

/** The field of a parameter of a list, as its row describes it. */
export const ParameterField = ({ name, wrong }: Props & { name: ParameterName }) => {
  const { values, field: { title, placeholder, names = [] } = { title: name } } = listParameter(name);
  const message = wrong(name);
  if (values) {
    const words = Object.fromEntries(values.map((value, i) => [value, names[i] ?? value]));
    return <Choice {...{ name, message, values }} label={title} names={words} all="all" />;
  }
  return (
    <Field name={`filter-${name}`} label={title} message={message} class={name === 'q' ? 'first' : ''}>
      {(input) => <input type="text" {...{ name, placeholder, ...input }} />}
    </Field>
  );
};

export const LabelFilter = ({ wrong }: Props) => <ParameterField name="label" wrong={wrong} />;

/** The filter by region. A service with one place knows its own audits and uploads only. */
export const RegionFilter = ({ wrong }: Props) => {
  const values = hasOnePlace(usePlaces()) ? [ELSEWHERE] : runRegions;
  return <Choice name="region" label="Region" values={values} message={wrong('region')} all="all" />;
};
