import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

type Load<Props> = () => Promise<ComponentType<Props>>;
type Loaded<Props> = { load?: Load<Props>; Part?: ComponentType<Props>; failed?: boolean };

/** Loads a part of the page when it is first shown. */
export const useOnDemand = <Props,>(load: Load<Props>): Loaded<Props> => {
  const [loaded, setLoaded] = useState<Loaded<Props>>({});
  useEffect(() => {
    load().then(
      (Part) => setLoaded({ load, Part }),
      () => setLoaded({ load, failed: true }),
    );
  }, [load]);
  return loaded.load === load ? loaded : {};
};

/** Says that a part of the page did not load, and what to do. */
export const NotLoaded = () => (
  <p>
    The connection failed, or the service has a new version.{' '}
    <a href={location.href} target="_self">
      Reload the page.
    </a>
  </p>
);

/** Returns a component whose code the browser loads when it is first shown. */
export const onDemand =
  <Props extends object>(load: Load<Props>): ComponentType<Props> =>
  (props) => {
    const { Part, failed } = useOnDemand(load);
    if (failed) return <NotLoaded />;
    return Part ? <Part {...props} /> : null;
  };
