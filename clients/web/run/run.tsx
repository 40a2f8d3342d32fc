import type { RunView } from '../../../shared/run.ts';
import { isFinished } from '../../../shared/states.ts';
import { counted, gradeOf } from '../../words/numbers.ts';
import { sectionsOfRun } from '../../words/result-sections.ts';
import { localTime } from '../../words/times.ts';
import { progressText } from '../../words/turns.ts';
import { useLive } from '../requests/loading.ts';
import { missingOr, shareTokenOf } from '../session/share.ts';
import { Announcer } from '../ui/announcer.tsx';
import { Assertions } from '../ui/assertions.tsx';
import { hasOnePlace, usePlaces } from '../ui/places.ts';
import { Pending, ProblemNote } from '../ui/problem.tsx';
import { SectionTable } from '../ui/section.tsx';
import { isolated, type TabState, useTitle } from '../ui/title.ts';
import { TwoLines } from '../ui/two-lines.tsx';
import { Filmstrips } from './filmstrip.tsx';
import { WhatToFix } from './fixes.tsx';
import { Report } from './report.tsx';
import { Attempts, Blocked, Environment } from './run-details.tsx';
import { FailedRun, Warnings, warningRows } from './run-notes.tsx';
import { RunTable } from './run-table.tsx';
import { ScoreTiles } from './score-tiles.tsx';
import { VariantTable } from './variant-table.tsx';

const missing =
  'There is no such run. Its check was erased or has expired, it belongs to another API key, or the address is wrong.';

/** Returns the region of a run before its URL. It says nothing if the service has one place only. */
const regionBefore = (places: ReturnType<typeof usePlaces>, { region }: RunView): string =>
  hasOnePlace(places) ? '' : `${region}: `;

/** Returns the title and the state of the tab. */
const tabOf = (run: RunView, region: string): [string, TabState?] => {
  const name = `${region}${isolated(run.url)}`;
  if (!isFinished(run.state)) return [`◐ ${name}`, 'running'];
  if (run.state === 'failed') return [`✗ ${name}`, 'poor'];
  return [`${run.performance ?? ''} ${name}`.trim(), gradeOf('performance', run.performance, run.device)];
};

/** One run: its numbers, and how the service measured them. */
export const RunPage = ({ checkId, runId }: { checkId: string; runId: string }) => {
  const { data: run, error, reload } = useLive<RunView>(`/v1/checks/${checkId}/runs/${runId}`);
  const places = usePlaces(); // together with the run, so that a place moves nothing
  const [title, state] = run ? tabOf(run, regionBefore(places, run)) : ['Run'];
  useTitle(title, state);
  if (!run) {
    return (
      <>
        <h1>Run</h1>
        <Pending error={error} reload={reload} missing={missingOr(missing, checkId)} rows={12} />
      </>
    );
  }
  return (
    <>
      <nav class="back" aria-label="Check">
        <a href={`/checks/${checkId}`}>{hasOnePlace(places) ? '← The check' : '← All regions of this check'}</a>
      </nav>
      {error && <ProblemNote error={error} reload={reload} missing={missing} />}
      <Announcer runs={[run]} />
      <RunHead run={run} checkId={checkId} />
      {run.state === 'succeeded' && <ScoreTiles run={run} />}
      {run.error && <FailedRun error={run.error} runs={[run]} />}
      <Warnings runs={warningRows(run)} />
      {run.state === 'succeeded' && run.against && <Variants run={run} against={run.against} />}
      {run.state === 'succeeded' && <RunTable run={run} />}
      {sectionsOfRun(run).map((section) => (
        <SectionTable key={section.id} section={section} />
      ))}
      <WhatToFix run={run} />
      {run.state === 'succeeded' && run.links.filmstrip && (
        <>
          <h2>While it loads</h2>
          <Filmstrips run={run} />
        </>
      )}
      <Assertions runs={[run]} all />
      <Blocked run={run} />
      <Attempts run={run} />
      <Environment run={run} />
      {run.links.report && <Report run={run} path={run.links.report} />}
      {run.against?.links.report && <Report run={run} path={run.against.links.report} variant="against" />}
    </>
  );
};

/** Both variants side by side, and each sample of the second one. */
const Variants = ({ run, against }: { run: RunView; against: NonNullable<RunView['against']> }) => (
  <>
    <h2 id="variants">
      <TwoLines>
        Compared with <bdi>{against.url}</bdi>
      </TwoLines>
    </h2>
    <p class="muted">{[`Lighthouse ${against.auditVersion}`, against.device].join(' · ')}</p>
    <VariantTable run={run} labelled="variants" all />
    <RunTable run={{ ...run, ...against, links: run.links }} variant="against" />
  </>
);

const RunHead = ({ run, checkId }: { run: RunView; checkId: string }) => {
  const samples =
    run.samples.length > 0 ? [`${counted(run.samples.length, 'sample')}${isFinished(run.state) ? '' : ' so far'}`] : [];
  const places = usePlaces();
  const place = places.get(run.region);
  const progress = progressText(run);
  const facts = [
    ...(place ? [place] : []),
    `Lighthouse ${run.auditVersion}`,
    run.device,
    ...samples,
    localTime(run.createdAt),
  ];
  return (
    <div class="head">
      <div class="grow">
        <h1>
          <TwoLines>
            <a href={run.url} rel="noreferrer nofollow">
              {regionBefore(places, run)}
              <bdi>{run.url}</bdi>
            </a>
          </TwoLines>
        </h1>
        <p class="muted">{facts.join(' · ')}</p>
        {run.finalUrl && run.finalUrl !== run.url && (
          <p class="muted">
            <TwoLines>
              Measured: <bdi>{run.finalUrl}</bdi>
            </TwoLines>
          </p>
        )}
        {!isFinished(run.state) && (
          <p role="status">
            ◐ {run.state === 'created' ? 'Waiting for its turn' : ['Auditing', progress].filter(Boolean).join(', ')}.
            The result appears here.
          </p>
        )}
      </div>
      {!shareTokenOf(checkId) && (
        <div class="actions">
          {run.links.report && (
            <a class="button" href="#report">
              Report
            </a>
          )}
          <a class="button" href={`/pages?${new URLSearchParams({ url: run.url, device: run.device })}`}>
            Over time
          </a>
        </div>
      )}
    </div>
  );
};
