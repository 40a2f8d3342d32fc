import { devices } from '../../../shared/options/audit-options.ts';
import { zoneName } from '../../words/times.ts';
import { navigate } from '../router.ts';
import { Choice } from '../ui/choice.tsx';
import { Field } from '../ui/field.tsx';
import { FilterForm, LabelFilter, RegionFilter } from '../ui/filter-form.tsx';

type Props = { query: URLSearchParams; wrong: (name: string) => string | undefined };

/** The page of a trend and its filters. The address has them all. */
export const TrendFilter = ({ query, wrong }: Props) => {
  const apply = (values: [string, string][]) => {
    const filled = new URLSearchParams(values.filter(([name, value]) => value !== '' || name === 'url'));
    const metric = new URLSearchParams(location.search).get('metric');
    if (metric) filled.set('metric', metric);
    navigate(`/pages?${filled}`);
  };
  const values = { ...Object.fromEntries(query), device: query.get('device') || 'mobile' };
  return (
    <FilterForm label="Page" values={values} apply={apply}>
      <Field name="url" label="URL" message={wrong('url')} class="grow">
        {(input) => <input type="text" inputmode="url" name="url" {...input} />}
      </Field>
      <Choice name="device" label="Device" values={devices} message={wrong('device')} />
      <RegionFilter wrong={wrong} />
      <LabelFilter wrong={wrong} />
      <Day name="from" label="From" wrong={wrong} />
      <Day name="to" label="To" wrong={wrong} />
      <button type="submit">Show</button>
    </FilterForm>
  );
};

const Day = ({ name, label, wrong }: Pick<Props, 'wrong'> & { name: string; label: string }) => (
  <Field name={`filter-${name}`} label={`${label} (${zoneName()})`} message={wrong(name)}>
    {(input) => <input type="date" name={name} {...input} />}
  </Field>
);
