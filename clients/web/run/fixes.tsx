import type { Fix, Fixes } from '../../../shared/fixes/fix.ts';
import type { RunView } from '../../../shared/run.ts';
import { categoryText, doubtText, itemText, pointsText, savingsText } from '../../words/fixes.ts';
import { useLoaded } from '../requests/loading.ts';
import { DataTable } from '../ui/data-table.tsx';
import { Pending } from '../ui/problem.tsx';
import { Quoted } from '../ui/quoted.tsx';
import { Screenshot } from './screenshot.tsx';

const MAX_FIXES = 5;

/** The fixes that gain most points, for the page of a run. */
export const WhatToFix = ({ run, named = false }: { run: RunView; named?: boolean }) => {
  const { data, error, reload } = useLoaded<Fixes>(run.links.fixes);
  if (!run.links.fixes) return null;
  return (
    <>
      <h2 id="fixes">What to fix first{named && `, as ${run.region} sees it`}</h2>
      {data && (
        <div class="beside">
          <FixTable fixes={data.fixes.slice(0, MAX_FIXES)} />
          {run.links.screenshot && <Screenshot path={run.links.screenshot} region={run.region} />}
        </div>
      )}
      {!data && error && (
        <p class="muted">
          The fixes did not load. <Quoted text={error.message} />
        </p>
      )}
      {!data && !error && <Pending reload={reload} rows={MAX_FIXES} />}
    </>
  );
};

const FixTable = ({ fixes }: { fixes: readonly Fix[] }) => {
  if (fixes.length === 0) return <p class="empty">Lighthouse found nothing that would gain points.</p>;
  return (
    <DataTable labelled="fixes" class="fixes" columns={['Gains', 'What to fix', 'Saves at most']}>
      {fixes.map((fix) => (
        <Row key={fix.audit} fix={fix} />
      ))}
    </DataTable>
  );
};

const Row = ({ fix }: { fix: Fix }) => {
  const { title, documentation, points, items, itemCount } = fix;
  const [first] = items;
  return (
    <tr>
      <td>
        {!points ? (
          <span class="muted">no estimate</span>
        ) : (
          <>
            up to <strong class="number">{pointsText(fix)}</strong>
          </>
        )}
        <br />
        <span class="muted">{categoryText(fix)}</span>
      </td>
      <th scope="row">
        {documentation ? (
          <a href={documentation} rel="noreferrer">
            <Title text={title} />
          </a>
        ) : (
          <Title text={title} />
        )}
        {fix.contended && <p class="muted">{doubtText(fix)}</p>}
        {first && (
          <p class="muted break">
            <bdi>{itemText(first)}</bdi>
            {itemCount > 1 && ` and ${itemCount - 1} more`}
          </p>
        )}
      </th>
      <td>{savingsText(fix)}</td>
    </tr>
  );
};

/** A title of Lighthouse. Backticks mark code in it. */
const Title = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>
);
