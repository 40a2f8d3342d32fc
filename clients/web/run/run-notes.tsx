import type { RunError } from '../../../shared/problems.ts';
import type { RunView } from '../../../shared/run.ts';
import { nextStep } from '../../words/advice.ts';
import { failedVariantText } from '../../words/words.ts';
import { showsRegions, usePlaces } from '../ui/places.ts';
import { Quoted } from '../ui/quoted.tsx';
import { TwoLines } from '../ui/two-lines.tsx';

type FailedProps = { error: RunError; runs: readonly RunView[]; named?: boolean };

/** Why runs failed in the same way: code, message, whose fault, and the next step. */
export const FailedRun = ({ error, runs, named = false }: FailedProps) => {
  const { code, message, blame, auditCode, finalUrl } = error;
  const places = usePlaces();
  const isNamed = named && showsRegions(places, runs);
  const regions = runs.map(({ region }) => region).join(', ');
  return (
    <div class="panel problem">
      <h2>
        {isNamed ? `${regions} failed: ` : 'The run failed: '}
        <code>{code}</code>
      </h2>
      <p>
        {failedVariantText(error)} <Quoted text={message} />
      </p>
      {finalUrl && (
        <p class="muted">
          <TwoLines>
            Last address: <bdi>{finalUrl}</bdi>
          </TwoLines>
        </p>
      )}
      <p>
        <strong>{blame === 'page' ? 'The cause is the page.' : 'The cause is this service, not the page.'}</strong>{' '}
        {nextStep(error)}
      </p>
      <p class="muted">
        Run <code>{runs.map(({ id }) => id).join(', ')}</code>
        {auditCode && (
          <>
            , Lighthouse: <code>{auditCode}</code>
          </>
        )}
      </p>
    </div>
  );
};

/** Returns the variants of a run, each with its name and its warnings. */
export const warningRows = ({ region, warnings, against }: RunView) => [
  { region, warnings },
  ...(against ? [{ region: `${region} (against)`, warnings: against.warnings }] : []),
];

/** The warnings of runs. A warning of several runs is shown once. */
export const Warnings = ({ runs }: { runs: readonly Pick<RunView, 'warnings'>[] & readonly { region: string }[] }) => {
  const regions = new Map<string, string[]>();
  for (const { region, warnings } of runs) {
    for (const warning of warnings) regions.set(warning, [...(regions.get(warning) ?? []), region]);
  }
  if (regions.size === 0) return null;
  return (
    <ul class="warnings" aria-label="Warnings">
      {[...regions].map(([warning, of]) => (
        <li key={warning}>
          <span aria-hidden="true">⚠ </span>
          {runs.length > 1 && <strong>{of.join(', ')}: </strong>}
          <Quoted text={warning} />
        </li>
      ))}
    </ul>
  );
};
