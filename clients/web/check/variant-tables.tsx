import type { CheckView } from '../../../shared/check.ts';
import type { CheckExplanation } from '../../../shared/explanation/schema.ts';
import type { RunView } from '../../../shared/run.ts';
import { WhatChanged } from '../comparison/why.tsx';
import { VariantTable } from '../run/variant-table.tsx';
import { namerOf, usePlaces } from '../ui/places.ts';
import { Quoted } from '../ui/quoted.tsx';
import { RunState } from './check-table.tsx';

type Props = { check: CheckView; explanation: CheckExplanation | undefined; all: boolean };

/** Both variants of a check side by side, region by region, and why they differ. */
export const VariantTables = ({ check, explanation, all }: Props) => {
  const places = usePlaces();
  const nameOf = namerOf(places, check.runs);
  return (
    <>
      {check.runs.map((run) => (
        <div key={run.id}>
          <h2 id={`variants-${run.region}`}>
            <a href={`/checks/${check.id}/runs/${run.id}`}>{nameOf(run.region)}</a>
            <span class="place">{nameOf(run.region) === run.region && places.get(run.region)}</span>
          </h2>
          <Region run={run} check={check} explanation={explanation?.regions[run.region]} all={all} />
        </div>
      ))}
    </>
  );
};

type RegionProps = {
  run: RunView;
  check: CheckView;
  explanation: CheckExplanation['regions'][RunView['region']];
  all: boolean;
};

const Region = ({ run, check: { samples }, explanation, all }: RegionProps) => (
  <>
    {run.state !== 'succeeded' && (
      <p>
        <RunState run={run} samples={samples} />
      </p>
    )}
    {explanation && (
      <p class="break">
        <strong>Why: </strong>
        <Quoted text={explanation.sentence} />
      </p>
    )}
    {run.state === 'succeeded' && <VariantTable run={run} labelled={`variants-${run.region}`} all={all} />}
    {explanation && <WhatChanged region={run.region} explanation={explanation} />}
  </>
);
