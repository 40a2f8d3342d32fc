// @ts-check
import { useEffect } from 'preact/hooks';

/**
 * Sets the title of the tab.
 * @param {string} title
 */
export const useTitle = (title) => {
  useEffect(() => {
    document.title = `${title} · Page audit`;
  }, [title]);
};
