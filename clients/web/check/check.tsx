import { useState } from 'preact/hooks';
import type { CheckView } from '../../../shared/check.ts';
import type { CheckComparison, RegionComparison } from '../../../shared/comparison/schemas.ts';
import type { CheckExplanation } from '../../../shared/explanation/schema.ts';
import { worstRun } from '../../../shared/fixes/worst-run.ts';
import type { RunView } from '../../../shared/run.ts';
import { auditFacts, labelTexts } from '../../words/facts.ts';
import { gradeOf } from '../../words/numbers.ts';
import { localTime } from '../../words/times.ts';
import { useLive, useLoaded } from '../requests/loading.ts';
import { Filmstrips } from '../run/filmstrip.tsx';
import { WhatToFix } from '../run/fixes.tsx';
import { Report } from '../run/report.tsx';
import { FailedRun, Warnings, warningRows } from '../run/run-notes.tsx';
import { missingOr, shareTokenOf } from '../session/share.ts';
import { Announcer } from '../ui/announcer.tsx';
import { Assertions } from '../ui/assertions.tsx';
import { Facts } from '../ui/facts.tsx';
import { areOnePlace, usePlaces } from '../ui/places.ts';
import { Pending, ProblemNote } from '../ui/problem.tsx';
import { Reasons } from '../ui/reasons.tsx';
import { isolated, type TabState, useTitle } from '../ui/title.ts';
import { TwoLines } from '../ui/two-lines.tsx';
import { Legend } from '../ui/value.tsx';
import { CheckActions } from './check-actions.tsx';
import { CheckTable } from './check-table.tsx';
import { VariantTables } from './variant-tables.tsx';

const missing =
  'There is no such check. It was erased or has expired, it belongs to another API key, or the address is wrong.';
const erased = 'The check was erased while you looked at it. What you see below is no longer stored.';

const isFinished = ({ state }: CheckView) => ['succeeded', 'partial', 'failed'].includes(state);

/** Returns the title and the state of the tab: the lowest performance score of a finished check. */
const tabOf = (check: CheckView): [string, TabState?] => {
  if (!isFinished(check)) return [`◐ ${isolated(check.url)}`, 'running'];
  const scores = check.runs.flatMap(({ performance }) => performance ?? []);
  if (scores.length === 0) return [`✗ ${isolated(check.url)}`, check.state === 'failed' ? 'poor' : 'unknown'];
  const lowest = Math.min(...scores);
  return [`${lowest} ${isolated(check.url)}`, gradeOf('performance', lowest, check.device ?? 'mobile')];
};

/** One check, live. */
export const CheckPage = ({ checkId }: { checkId: string }) => {
  const { data: check, error, reload } = useLive<CheckView>(`/v1/checks/${checkId}`, isFinished);
  const [title, state] = check ? tabOf(check) : ['Check'];
  useTitle(title, state);
  usePlaces(); // together with the check, so that a place moves nothing
  if (!check) {
    return (
      <>
        <h1>Check</h1>
        <Pending error={error} reload={reload} missing={missingOr(missing, checkId)} rows={12} />
      </>
    );
  }
  return (
    <>
      {error && <ProblemNote error={error} reload={reload} missing={erased} />}
      <CheckHead check={check} />
      <Announcer runs={check.runs} />
      <Results check={check} />
    </>
  );
};

const CheckHead = ({ check }: { check: CheckView }) => {
  const facts = [...auditFacts(check), ...labelTexts(check), localTime(check.createdAt)];
  return (
    <div class="head">
      <div class="grow">
        <h1>
          <TwoLines>
            <a href={check.url} rel="noreferrer nofollow">
              <bdi>{check.url}</bdi>
            </a>
          </TwoLines>
        </h1>
        <p class="muted">
          <Facts facts={facts} />
        </p>
      </div>
      {shareTokenOf(check.id) ? <p class="muted">A shared check, to read only</p> : <CheckActions check={check} />}
    </div>
  );
};

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
  const [wasFinished] = useState(isFinished(check));
  const mayExplain = check.against !== undefined && isFinished(check) && !shareTokenOf(check.id); // a share link reads none
  const loaded = useLoaded<CheckExplanation>(mayExplain ? `${check.links.self}/explanation` : null);
  return { ...loaded, isAwaited: wasFinished && mayExplain && !loaded.data && !loaded.error };
};

const Results = ({ check }: { check: CheckView }) => {
  const places = usePlaces();
  const succeeded = check.runs.filter(hasSucceeded);
  const canCompare = check.against ? succeeded.length > 0 : succeeded.length > 1 && !areOnePlace(places, check.runs);
  const compares = isFinished(check) && canCompare;
  const { data: comparison } = useLoaded<Comparison>(compares ? check.links.comparison : null);
  const why = useExplanation(check);
  const [all, setAll] = useState(false);
  const failed = check.runs.filter((run) => run.state === 'failed');
  const worst = isFinished(check) ? worstRun(check.runs) : undefined;
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
