import { useEffect, useState } from 'preact/hooks';
import type { Region } from '../../../shared/regions.ts';
import { send } from '../requests/requests.ts';
import { nameOfPlace, usePlaces } from '../ui/places.ts';

/** The page as the audit saw it last. An image sends no API key, so this page reads the picture. */
export const Screenshot = ({ path, region }: { path: string; region: Region }) => {
  const source = usePicture(path);
  const name = nameOfPlace(usePlaces(), region);
  return (
    <figure class="screenshot">
      {source && <img src={source} alt={`The page in ${name}, after it loaded`} />}
      <figcaption class="muted">{source === null ? 'The screenshot did not load.' : `Seen from ${name}`}</figcaption>
    </figure>
  );
};

/** Returns the URL of a picture: undefined while it loads, null if it can't be read. */
const usePicture = (path: string) => {
  const [source, setSource] = useState<string | null>();
  useEffect(() => {
    const over = new AbortController();
    let url: string | undefined;
    const load = async () => {
      const picture = await (await send(path, { signal: over.signal, accept: 'image/jpeg' })).blob();
      if (over.signal.aborted) return;
      url = URL.createObjectURL(picture);
      setSource(url);
    };
    load().catch(() => setSource(null));
    return () => {
      over.abort();
      if (url) URL.revokeObjectURL(url);
    };
  }, [path]);
  return source;
};
