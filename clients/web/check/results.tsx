import { useState } from 'preact/hooks';
import type { CheckView } from '../../../shared/check.ts';
import type { CheckComparison, RegionComparison } from '../../../shared/comparison/schemas.ts';
import type { CheckExplanation } from '../../../shared/explanation/schema.ts';
import { worstRun } from '../../../shared/fixes/worst-run.ts';
import type { RunView } from '../../../shared/run.ts';
import { isFinished } from '../../../shared/states.ts';
import { useLoaded } from '../requests/loading.ts';
import { Filmstrips } from '../run/filmstrip.tsx';
import { WhatToFix } from '../run/fixes.tsx';
import { Report } from '../run/report.tsx';
import { FailedRun, Warnings, warningRows } from '../run/run-notes.tsx';
import { shareTokenOf } from '../session/share.ts';
import { Assertions } from '../ui/assertions.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { areOnePlace, usePlaces } from '../ui/places.ts';
import { Pending } from '../ui/problem.tsx';
import { Reasons } from '../ui/reasons.tsx';
import { SectionTable } from '../ui/section.tsx';
import { Legend } from '../ui/value.tsx';
import { CheckTable } from './check-table.tsx';
import { VariantTables } from './variant-tables.tsx';

/** A deployment without field data does not load its code. */
const Visitors = onDemand(() =>
  import('../../words/field-section.ts').then(({ fieldSection }) => ({ check }: { check: CheckView }) => (
    <SectionTable section={fieldSection(check)} />
  )),
);

/** The comparison of the regions, or of the two variants. */
type Comparison = RegionComparison | CheckComparison;

const hasSucceeded = ({ state }: RunView) => state === 'succeeded';

/** Groups runs that failed in the same way. */
const groups = (runs: readonly RunView[]) => [...Map.groupBy(runs, ({ error }) => JSON.stringify(error)).values()];

/**
 * Reads why two variants differ. A view of a finished check awaits it, so that the sentence moves nothing. A view of a
 * check that finishes meanwhile keeps what it shows.
 */
const useExplanation = (check: CheckView) => {
  const [wasFinished] = useState(isFinished(check.state));
  const mayExplain = check.against !== undefined && isFinished(check.state) && !shareTokenOf(check.id); // a share link reads none
  const loaded = useLoaded<CheckExplanation>(mayExplain ? `${check.links.self}/explanation` : null);
  return { ...loaded, isAwaited: wasFinished && mayExplain && !loaded.data && !loaded.error };
};

/** The results of a check: what failed, the figures of each region, and what to do about them. */
export const Results = ({ check }: { check: CheckView }) => {
  const places = usePlaces();
  const succeeded = check.runs.filter(hasSucceeded);
  const canCompare = check.against ? succeeded.length > 0 : succeeded.length > 1 && !areOnePlace(places, check.runs);
  const compares = isFinished(check.state) && canCompare;
  const { data: comparison } = useLoaded<Comparison>(compares ? check.links.comparison : null);
  const why = useExplanation(check);
  const [all, setAll] = useState(false);
  const failed = check.runs.filter((run) => run.state === 'failed');
  const worst = isFinished(check.state) ? worstRun(check.runs) : undefined;
  const strips = check.runs.filter((run) => hasSucceeded(run) && run.links.filmstrip);
  const shown = areOnePlace(places, check.runs) ? strips.slice(0, 1) : strips;
  if (why.isAwaited) return <Pending reload={why.reload} rows={12} />;
  return (
    <>
      {groups(failed).map(
        (runs) => runs[0]?.error && <FailedRun key={runs[0].id} error={runs[0].error} runs={runs} named />,
      )}
      {failed.length === check.runs.length ? null : check.against ? (
        <VariantTables check={check} explanation={why.data} all={all} />
      ) : (
        <CheckTable check={check} comparison={comparison?.baseCheckId === null ? comparison : undefined} all={all} />
      )}
      {failed.length < check.runs.length && (
        <div class="below">
          <Legend />
          <button type="button" class="small" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? 'Fewer metrics' : 'More metrics'}
          </button>
        </div>
      )}
      {check.fieldData && <Visitors check={check} />}
      <Assertions runs={check.runs} />
      <Warnings runs={check.runs.flatMap(warningRows)} />
      {comparison && <Reasons reasons={comparison.reasons} />}
      {worst && <WhatToFix key={worst.id} run={worst} named={check.runs.length > 1} />}
      {worst?.links.report && <Report key={`report-${worst.id}`} run={worst} path={worst.links.report} />}
      {shown.length > 0 && (
        <section aria-labelledby="filmstrips">
          <h2 id="filmstrips">While it loads</h2>
          {shown.map((run) => (
            <Filmstrips key={run.id} run={run} />
          ))}
        </section>
      )}
    </>
  );
};
