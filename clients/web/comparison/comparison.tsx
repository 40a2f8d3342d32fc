import type { CheckView } from '../../../shared/check.ts';
import type { CheckComparison } from '../../../shared/comparison/schemas.ts';
import type { CheckExplanation, Explanation } from '../../../shared/explanation/schema.ts';
import type { Region } from '../../../shared/regions.ts';
import { fullChangeText } from '../../words/change.ts';
import { comparedEntries, interactionNotes, orderNotes, workNotes } from '../../words/compared.ts';
import { auditFacts, labelTexts } from '../../words/facts.ts';
import { headlineOfChange } from '../../words/headline.ts';
import { gradeOf, plain, textOrDash } from '../../words/numbers.ts';
import { localTime } from '../../words/times.ts';
import { useLoaded } from '../requests/loading.ts';
import { Filmstrip } from '../run/filmstrip.tsx';
import { NewlyFailed } from '../ui/assertions.tsx';
import { Facts } from '../ui/facts.tsx';
import { nameOfPlace, usePlaces } from '../ui/places.ts';
import { Pending, ProblemNote } from '../ui/problem.tsx';
import { Quoted } from '../ui/quoted.tsx';
import { Reasons } from '../ui/reasons.tsx';
import { SectionRows } from '../ui/section.tsx';
import { isolated, useTitle } from '../ui/title.ts';
import { TwoLines } from '../ui/two-lines.tsx';
import { Verdict } from '../ui/verdict.tsx';
import { WhatChanged } from './why.tsx';

const missing = 'One of the two checks does not exist. It was erased or has expired, or it belongs to another API key.';

/** Two checks, region by region. */
export const ComparisonPage = ({ base, checkId }: { base: string; checkId: string }) => {
  const compared = useLoaded<CheckComparison>(`/v1/checks/${checkId}/comparison?base=${base}`);
  const before = useLoaded<CheckView>(`/v1/checks/${base}`);
  const after = useLoaded<CheckView>(`/v1/checks/${checkId}`);
  const why = useLoaded<CheckExplanation>(`/v1/checks/${checkId}/explanation?base=${base}`);
  usePlaces(); // together with the checks, so that a place moves nothing
  const all = [compared, before, after, why];
  const { data, error } = compared;
  const reload = () => {
    for (const each of all) each.reload();
  };
  const urls = [...new Set([before.data?.url, after.data?.url])].filter((url) => url !== undefined);
  useTitle(urls.length > 0 ? `Comparison: ${urls.map(isolated).join(', ')}` : 'Comparison');
  // The view appears at once, so that a later answer does not move an earlier one.
  if (!all.every((each) => each.data || each.error)) {
    return (
      <>
        <h1>Two checks compared</h1>
        <Pending reload={reload} rows={12} />
      </>
    );
  }
  return (
    <>
      <Heading urls={urls} />
      {data && (
        <p class="answer">
          <Verdict verdict={data.verdict}>{headlineOfChange(data)}</Verdict>
        </p>
      )}
      <div class="row sides">
        <Side name="Before" id={base} check={before.data} named={urls.length > 1} />
        <Side name="After" id={checkId} check={after.data} named={urls.length > 1} />
      </div>
      {!data && <Pending error={error} reload={reload} missing={missing} rows={12} />}
      {data && error && <ProblemNote error={error} reload={reload} missing={missing} />}
      {data && <Reasons reasons={data.reasons} differences={data.differences} notes={interactionNotes(data)} />}
      {data && <SeenInLoads notes={[...workNotes(data), ...orderNotes(data)]} />}
      {data && !why.data && why.error && (
        <p class="muted">
          Why they differ is unknown. <Quoted text={why.error.message} />
        </p>
      )}
      {data && <NewlyFailed results={data.newlyFailed} />}
      {data?.regions.map((region) => (
        <RegionPart
          key={region}
          region={region}
          comparison={data}
          checks={[before.data, after.data]}
          explanation={why.data?.regions[region]}
        />
      ))}
    </>
  );
};

/** Notes about the loads, which are no reason against a verdict. */
const SeenInLoads = ({ notes }: { notes: string[] }) =>
  notes.length === 0 ? null : (
    <ul class="seen" aria-label="Seen in the loads">
      {notes.map((text) => (
        <li key={text}>
          <Quoted text={text} />
        </li>
      ))}
    </ul>
  );

const Heading = ({ urls: [first, second] }: { urls: readonly string[] }) => {
  if (first === undefined) return <h1>Two checks compared</h1>;
  return second === undefined ? (
    <h1>
      <TwoLines>
        Two checks of <bdi>{first}</bdi>
      </TwoLines>
    </h1>
  ) : (
    <h1>
      <TwoLines>
        <bdi>{first}</bdi>
      </TwoLines>{' '}
      <TwoLines>
        compared with <bdi>{second}</bdi>
      </TwoLines>
    </h1>
  );
};

type SideProps = { name: string; id: string; check: CheckView | undefined; named: boolean };

/** One of the checks. It is named by its URL if the other one has another URL. */
const Side = ({ name, id, check, named }: SideProps) => (
  <p class="grow panel">
    <strong>{name}</strong> <a href={`/checks/${id}`}>{check ? localTime(check.createdAt) : id.slice(0, 8)}</a>
    <br />
    {check && named && (
      <TwoLines>
        <bdi>{check.url}</bdi>
      </TwoLines>
    )}{' '}
    <span class="muted break">{check ? <Facts facts={[...auditFacts(check), ...labelTexts(check)]} /> : ' '}</span>
  </p>
);

type Checks = readonly [before: CheckView | undefined, after: CheckView | undefined];
type RegionProps = {
  region: Region;
  comparison: CheckComparison;
  checks: Checks;
  explanation: Explanation | undefined;
};

const RegionPart = ({ region, comparison, checks, explanation }: RegionProps) => {
  const places = usePlaces();
  const name = nameOfPlace(places, region);
  const rows = comparedEntries(comparison).flatMap(({ name, title, regions }) => {
    const compared = regions[region];
    if (!compared || (compared.base === null && compared.value === null)) return [];
    const values = [compared.base, compared.value].map((value, i) => ({
      text: textOrDash(name, value),
      grade: gradeOf(name, plain(value), checks[i]?.device ?? 'mobile'),
    }));
    return [{ name: title, cells: [...values, { text: fullChangeText(name, compared), verdict: compared.verdict }] }];
  });
  const id = `region-${region}`;
  const columns = ['Metric', 'Before', 'After', 'Change'];
  return (
    <>
      <h2 id={id}>
        {name}
        <span class="place">{name === region && places.get(region)}</span>
      </h2>
      {explanation && (
        <p class="break">
          <strong>Why: </strong>
          <Quoted text={explanation.sentence} />
        </p>
      )}
      <SectionRows labelled={id} section={{ id, title: name, kind: 'change', columns, rows }} />
      <BeforeAndAfter region={region} checks={checks} />
      {explanation && <WhatChanged region={region} explanation={explanation} />}
    </>
  );
};

/** The page while it loaded in both checks, side by side. */
const BeforeAndAfter = ({ region, checks }: Pick<RegionProps, 'region' | 'checks'>) => {
  const paths = checks.map((check) => check?.runs.find((run) => run.region === region)?.links.filmstrip ?? null);
  if (paths.every((path) => path === null)) return null;
  return (
    <div class="row strips">
      {['Before', 'After'].map((name, i) => (
        <Filmstrip key={name} path={paths[i] ?? null} name={name} />
      ))}
    </div>
  );
};
