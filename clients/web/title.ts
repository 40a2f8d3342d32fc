import { useEffect } from 'preact/hooks';

/** Returns a text that cannot change the direction of what follows it. It ends no isolation but its own. */
export const isolated = (text: string): string => `\u2068${text.replaceAll('\u2069', '')}\u2069`;

/** Sets the title of the tab. */
export const useTitle = (title: string) => {
  useEffect(() => {
    document.title = `${title} · Page audit`;
  }, [title]);
};
