import { useEffect } from 'preact/hooks';
import type { Grade } from '../../words/numbers.ts';

/** Returns a text that cannot change the direction of what follows it. It ends no isolation but its own. */
export const isolated = (text: string): string => `\u2068${text.replaceAll('\u2069', '')}\u2069`;

/** State of the subject of a view, for the icon of the tab. */
export type TabState = Grade | 'running';

/** Colours that are visible on light and dark tabs. */
const colours: Record<TabState, string> = {
  pass: '#0cce6b',
  work: '#ffa400',
  poor: '#ff4e42',
  unknown: '#8a949e',
  none: '#8a949e',
  running: '#4c8dff',
};

/** Sets the title of the tab, and the icon to the state of its subject. */
export const useTitle = (title: string, state?: TabState) => {
  useEffect(() => {
    document.title = `${title} · Page audit`;
  }, [title]);
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (!icon || !state) return;
    const usual = icon.href;
    icon.href = iconOf(state);
    return () => {
      icon.href = usual;
    };
  }, [state]);
};

/** A filled circle is a result. A half circle is a check at work. */
const iconOf = (state: TabState) => {
  const shape =
    state === 'running'
      ? '<circle cx="8" cy="8" r="6" fill="none" stroke-width="3" stroke-dasharray="19 38" stroke="COLOUR"/>'
      : '<circle cx="8" cy="8" r="7" fill="COLOUR"/>';
  const image = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${shape}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(image.replace('COLOUR', colours[state]))}`;
};
