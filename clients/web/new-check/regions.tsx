import type { RegionList } from '../../../shared/service/offer.ts';
import { useLoaded } from '../requests/loading.ts';
import { FieldError } from '../ui/field-error.tsx';
import { hasOnePlace, usePlaces } from '../ui/places.ts';

/** Regions that a form has at first, if the service has them in several places. One machine has one. */
const usual = ['us-west1', 'europe-north1'];

type RegionsProps = { used: readonly string[]; message: string | undefined };

/** The regions of the service to choose from. Those that were used last are chosen at first. */
export const Regions = ({ used, message }: RegionsProps) => {
  const places = usePlaces();
  const offer = useLoaded<RegionList>('/v1/regions');
  const regions = offer.data?.regions;
  const failed = offer.error !== undefined;
  const open: readonly string[] = regions?.filter(({ pausedAt }) => pausedAt === null).map(({ id }) => id) ?? [];
  const isMachine = hasOnePlace(places);
  const first = isMachine ? open.slice(0, 1) : usual;
  const chosen = [used, first].find((names) => names.some((each) => open.includes(each))) ?? open.slice(0, 2);
  const boxes = (
    <fieldset class={`regions ${regions ? '' : 'loading'}`} aria-describedby={message ? 'regions-error' : undefined}>
      <legend>Regions</legend>
      {regions?.map((region) => (
        <RegionBox key={region.id} region={region} hasPlace={!isMachine} checked={chosen.includes(region.id)} />
      ))}
      {!regions && failed && <p>The regions did not load. The page retries by itself.</p>}
      <FieldError id="regions-error" message={message} />
    </fieldset>
  );
  if (!isMachine) return boxes;
  return (
    <details open={message !== undefined || failed}>
      <summary>
        Regions: <span class="muted">all of them are {[...places.values()][0]}</span>
      </summary>
      {boxes}
    </details>
  );
};

type RegionBoxProps = { region: RegionList['regions'][number]; hasPlace: boolean; checked: boolean };

/** The box of a region. A paused region takes no checks. A region without a recent success does, and may fail. */
const RegionBox = ({ region: { id, place, available, pausedAt }, hasPlace, checked }: RegionBoxProps) => {
  const isPaused = pausedAt !== null;
  const reason = isPaused ? 'paused by the operator' : !available && 'no recent success';
  return (
    <label class={isPaused ? 'muted' : undefined}>
      <input type="checkbox" name="regions" value={id} defaultChecked={checked && !isPaused} disabled={isPaused} />{' '}
      <span>
        {id}{' '}
        <span class="muted">
          {hasPlace && place}
          {reason && ` (${reason})`}
        </span>
      </span>
    </label>
  );
};
