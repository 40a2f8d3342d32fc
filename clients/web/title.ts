import { useEffect } from 'preact/hooks';

/** Sets the title of the tab. */
export const useTitle = (title: string) => {
  useEffect(() => {
    document.title = `${title} · Page audit`;
  }, [title]);
};
