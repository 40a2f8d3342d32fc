import type { RunView } from '../../../shared/run.ts';
import type { Filmstrip as Frames } from '../../../shared/service/offer.ts';
import { useLoaded } from '../requests/loading.ts';
import { nameOfPlace, usePlaces } from '../ui/places.ts';
import { Quoted } from '../ui/quoted.tsx';

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** The page of a run while it loads, and that of its second variant. */
export const Filmstrips = ({ run: { region, links, against } }: { run: RunView }) => {
  const name = nameOfPlace(usePlaces(), region);
  return (
    <>
      <Filmstrip path={links.filmstrip} name={name} />
      {against && <Filmstrip path={against.links.filmstrip} name={`${name}, against`} />}
    </>
  );
};

/** One filmstrip. Nothing if there is none. */
export const Filmstrip = ({ path, name }: { path: string | null; name: string }) => {
  const { data, error } = useLoaded<Frames>(path);
  if (!path) return null;
  if (error)
    return (
      <p class="muted">
        {name}: no filmstrip. <Quoted text={error.message} />
      </p>
    );
  const frames = data?.frames ?? [];
  const [first, last] = [frames[0], frames.at(-1)];
  return (
    <figure class="filmstrip">
      <figcaption>
        {name}
        {first && last && (
          <>
            ,{' '}
            <span class="number">
              {seconds(first.timing)} to {seconds(last.timing)}
            </span>
          </>
        )}
      </figcaption>
      <div class="frames" tabIndex={0} role="group" aria-label={`Filmstrip of ${name}`}>
        {frames.map(({ timing, image }) => (
          <div key={timing}>
            <img src={image} alt={`The page after ${seconds(timing)}`} height="120" />
            <span class="number">{seconds(timing)}</span>
          </div>
        ))}
      </div>
    </figure>
  );
};
