import type { PageResult, PageStep } from '../../../shared/pages/pages.ts';
import { labels, textOrDash } from '../../words/numbers.ts';
import { sinceText } from '../../words/pages.ts';
import { localTime } from '../../words/times.ts';
import { PageChange, PageInteraction, PageScore } from '../pages/page-result.tsx';
import { comparisonOf } from '../ui/chosen-checks.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { nameOfPlace, showsRegions, usePlaces, withPlace } from '../ui/places.ts';
import { Verdict } from '../ui/verdict.tsx';

/** The newest result of a page in each region, with its change. */
export const PageNow = ({ results }: { results: readonly PageResult[] }) => {
  const places = usePlaces();
  const hasRegions = showsRegions(places, results);
  const nameOf = hasRegions ? withPlace : nameOfPlace;
  if (results.length === 0) return null;
  return (
    <>
      <h2 id="now">Now</h2>
      <DataTable labelled="now" columns={[hasRegions ? 'Region' : 'Place', 'Performance', `Change ${sinceText()}`]}>
        {results.map((result) => (
          <tr key={result.region}>
            <th scope="row">{nameOf(places, result.region)}</th>
            <td>
              <PageScore result={result} /> <PageInteraction result={result} />
            </td>
            <td>
              <PageChange result={result} />
            </td>
          </tr>
        ))}
      </DataTable>
    </>
  );
};

/** Newest changes that are shown at first. */
const FIRST = 5;

/** Each time at which metrics of the page changed, with the checks before and after, the newest first. */
export const PageChanges = ({ results }: { results: readonly PageResult[] }) => {
  const places = usePlaces();
  const hasRegions = showsRegions(places, results);
  const changes = results
    .flatMap(({ region, steps }) =>
      [...Map.groupBy(steps, ({ at }) => at).values()].map((of) => ({ region, of, first: of[0] as PageStep })),
    )
    .sort((a, b) => (a.first.at < b.first.at ? 1 : -1));
  if (changes.length === 0) return null;
  const rows = changes.map(({ region, of, first: { at, checkId, baseCheckId } }) => (
    <tr key={`${region} ${at}`}>
      <th scope="row" class="when">
        {localTime(at)}
      </th>
      {hasRegions && <td>{region}</td>}
      <td>
        {of.map((step) => (
          <StepText key={step.metric} step={step} />
        ))}
      </td>
      <td class="action">
        {checkId && baseCheckId && (
          <a
            class="button small"
            href={comparisonOf([
              { id: baseCheckId, createdAt: '' },
              { id: checkId, createdAt: at },
            ])}
          >
            Before and after
          </a>
        )}
      </td>
    </tr>
  ));
  const columns = ['Since', ...(hasRegions ? ['Region'] : []), 'Change', 'Compare'];
  return (
    <>
      <h2 id="changes">Lasting changes</h2>
      <DataTable labelled="changes" columns={columns}>
        {rows.slice(0, FIRST)}
      </DataTable>
      {rows.length > FIRST && (
        <details>
          <summary id="earlier">{rows.length - FIRST} earlier</summary>
          <DataTable labelled="earlier" columns={columns}>
            {rows.slice(FIRST)}
          </DataTable>
        </details>
      )}
    </>
  );
};

const StepText = ({ step: { metric, verdict, base, value } }: { step: PageStep }) => (
  <>
    <Verdict verdict={verdict}>
      {labels[metric]} {textOrDash(metric, base)} → {textOrDash(metric, value)}
    </Verdict>{' '}
  </>
);
