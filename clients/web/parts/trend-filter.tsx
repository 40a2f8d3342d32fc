import type { TargetedSubmitEvent } from 'preact';
import { devices } from '../../../shared/audit-options.ts';
import { allRegions } from '../../../shared/regions.ts';
import { zoneName } from '../../words/times.ts';
import { navigate } from '../router.ts';
import { Choice } from './choice.tsx';
import { Field } from './field.tsx';

type Props = { query: URLSearchParams; wrong: (name: string) => string | undefined };

/** The page of a trend and its filters. The address has them all. */
export const TrendFilter = ({ query, wrong }: Props) => {
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value).trim()]);
    const filled = new URLSearchParams(form.filter(([name, value]) => value !== '' || name === 'url'));
    const metric = new URLSearchParams(location.search).get('metric');
    if (metric) filled.set('metric', metric);
    navigate(`/pages?${filled}`);
  };
  return (
    <form class="row filters" aria-label="Page" noValidate onSubmit={submit}>
      <Field name="url" label="URL" message={wrong('url')} class="grow">
        {(input) => <input type="text" inputmode="url" name="url" defaultValue={query.get('url') ?? ''} {...input} />}
      </Field>
      <Choice
        name="device"
        label="Device"
        values={devices}
        chosen={query.get('device') || 'mobile'}
        message={wrong('device')}
      />
      <Choice
        name="region"
        label="Region"
        values={allRegions}
        chosen={query.get('region')}
        message={wrong('region')}
        all="all"
      />
      <Field name="filter-label" label="Label" message={wrong('label')}>
        {(input) => (
          <input
            type="text"
            name="label"
            placeholder="branch:main"
            defaultValue={query.get('label') ?? ''}
            {...input}
          />
        )}
      </Field>
      <Day name="from" label="From" query={query} wrong={wrong} />
      <Day name="to" label="To" query={query} wrong={wrong} />
      <button type="submit">Show</button>
    </form>
  );
};

const Day = ({ name, label, query, wrong }: Props & { name: string; label: string }) => (
  <Field name={`filter-${name}`} label={`${label} (${zoneName()})`} message={wrong(name)}>
    {(input) => <input type="date" name={name} defaultValue={query.get(name) ?? ''} {...input} />}
  </Field>
);
