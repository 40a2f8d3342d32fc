import { useState } from 'preact/hooks';
import type { CheckView } from '../../../shared/check.ts';
import type { CheckSummary } from '../../../shared/summaries.ts';
import type { CheckList } from '../../api/lists.ts';
import { auditFacts, labelTexts } from '../../words/facts.ts';
import { gradeOf } from '../../words/numbers.ts';
import { localTime } from '../../words/times.ts';
import { useLoaded } from '../requests/loading.ts';
import { messageOf } from '../requests/requests.ts';
import { useRest } from '../requests/rest.ts';
import { comparisonOf } from '../ui/chosen-checks.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Facts } from '../ui/facts.tsx';
import { Field } from '../ui/field.tsx';
import { FilterForm, LabelFilter } from '../ui/filter-form.tsx';
import { More } from '../ui/more.tsx';
import { Pending } from '../ui/problem.tsx';
import { Graded } from '../ui/value.tsx';

/** The checks that a check can be compared with: of the same URL, until the reader searches for others. */
export const OtherChecks = ({ check }: { check: CheckView }) => {
  const [values, setValues] = useState<Record<string, string>>({ q: check.url });
  const path = pathOf(values, check);
  const first = useLoaded<CheckList>(path);
  const rest = useRest(path, first.data);
  const others = rest.parts.flatMap(({ checks }) => checks).filter(({ id }) => id !== check.id);
  const wrong = (name: string) => messageOf(first.error?.errors ?? [], name);
  return (
    <div class="panel">
      <h2 id="others">Compare with another check</h2>
      <FilterForm label="Other checks" values={values} apply={(sent) => setValues(Object.fromEntries(sent))} eager>
        <Field name="filter-q" label="Search" message={wrong('q')} class="grow">
          {(input) => <input type="search" name="q" placeholder="part of a URL" {...input} />}
        </Field>
        <LabelFilter wrong={wrong} />
        <Field name="until" label="Until" message={wrong('createdBefore')}>
          {(input) => <input type="date" name="until" {...input} />}
        </Field>
      </FilterForm>
      {!first.data ? (
        <Pending {...first} rows={3} />
      ) : others.length === 0 && !rest.cursor ? (
        <p class="empty">No other check matches. Audit the page again to compare, or search for another URL.</p>
      ) : (
        <DataTable labelled="others" class="list" columns={['Created', 'Performance', 'Check']}>
          {others.map((other) => (
            <Row key={other.id} other={other} check={check} />
          ))}
        </DataTable>
      )}
      <More rest={rest} label="Older checks to compare" />
    </div>
  );
};

/** Returns the path of the list. The whole URL stands for this URL alone, and another text for a part of any URL. */
const pathOf = ({ q = '', label = '', until = '' }: Record<string, string>, { url }: CheckView): string => {
  const parameters = new URLSearchParams({ limit: '20' });
  if (q !== '') parameters.set(q === url ? 'url' : 'q', q);
  if (label !== '') parameters.set('label', label);
  const end = until === '' ? null : new Date(`${until}T23:59:59`);
  if (end && !Number.isNaN(end.getTime())) parameters.set('createdBefore', end.toISOString());
  return `/v1/checks?${parameters}`;
};

const Row = ({ other, check }: { other: CheckSummary; check: CheckView }) => {
  const url = other.url === check.url ? [] : [other.url];
  const isDone = other.state === 'succeeded' || other.state === 'partial';
  return (
    <tr>
      <th scope="row" class="when">
        <a href={comparisonOf([check, other])}>{localTime(other.createdAt)}</a>
      </th>
      <td>
        {isDone
          ? other.runs.map(({ id, performance }) => (
              <span class="score" key={id}>
                <Graded grade={gradeOf('performance', performance, 'mobile')} text={performance ?? '–'} />{' '}
              </span>
            ))
          : other.state}
      </td>
      <td class="muted break">
        <Facts facts={[...url, ...auditFacts(other), ...labelTexts(other)]} />
      </td>
    </tr>
  );
};
