import type { AssertionResult } from '../../../shared/assertions/assertions.ts';
import type { Region } from '../../../shared/regions.ts';
import type { RunView } from '../../../shared/run.ts';
import { countsText, failedFirst, outcomeOf } from '../../words/assertions.ts';
import { DataTable } from './data-table.tsx';
import { showsRegions, usePlaces } from './places.ts';
import { Quoted } from './quoted.tsx';
import { isolated } from './title.ts';

type Props = {
  runs: readonly RunView[];
  /** Also shows the assertions that passed. */
  all?: boolean;
};

/** The assertions on the reports of runs, with the failed ones first. */
export const Assertions = ({ runs, all = false }: Props) => {
  const results = runs.flatMap(({ region, assertions }) => (assertions ?? []).map((each) => ({ ...each, region })));
  if (results.length === 0) return null;
  const failed = failedFirst(results);
  const passed = results.filter((each) => each.passed);
  return (
    <>
      <h2 id="assertions">Assertions</h2>
      <p class="muted">{countsText(results)}</p>
      <Results results={all ? [...failed, ...passed] : failed} />
    </>
  );
};

/** The assertions that passed in the base of a comparison and fail now. */
export const NewlyFailed = ({ results }: ResultsProps) =>
  results.length > 0 && (
    <>
      <h2 id="assertions">Assertions that fail now</h2>
      <Results results={failedFirst(results)} />
    </>
  );

type ResultsProps = { results: readonly (AssertionResult & { region: Region })[] };

/** The table below the heading with the id `assertions`. */
const Results = ({ results }: ResultsProps) => {
  const hasRegions = showsRegions(usePlaces(), results);
  if (results.length === 0) return null;
  return (
    <DataTable labelled="assertions" columns={['Result', ...(hasRegions ? ['Region'] : []), 'Assertion']}>
      {results.map((each) => (
        <tr key={`${each.region} ${each.key} ${each.name}`}>
          <td>{outcomes[outcomeOf(each)]}</td>
          {hasRegions && <td>{each.region}</td>}
          <th scope="row" title={isolated(each.key)}>
            <Quoted text={each.message} />
          </th>
        </tr>
      ))}
    </DataTable>
  );
};

const outcomes = {
  failed: <span class="poor">✗ failed</span>,
  warning: <span class="work">⚠ warning</span>,
  'not judged': <span class="muted">○ not judged</span>,
  passed: <span class="pass">✔ passed</span>,
};

/** Whether the assertions of a check passed. */
export const Gate = ({ passed }: { passed: boolean }) =>
  passed ? <span class="pass">✔ assertions passed</span> : <span class="poor">✗ assertions failed</span>;
