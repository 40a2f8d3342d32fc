import { useEffect, useRef } from 'preact/hooks';

/**
 * Moves the focus to the heading of each new view, so that a screen reader reads it. Keeps the focus in its place if the
 * focused element goes away.
 */
export const useFocus = (view: string | undefined) => {
  const first = useRef(true);
  useEffect(() => {
    if (view === undefined) return;
    if (!first.current) focusHeading(document.getElementById('main'));
    first.current = false;
  }, [view]);
  useEffect(keepFocus, []);
};

/** Moves the focus to the heading of the smallest part of the page that has one, from an element outwards. */
const focusHeading = (from: Element | null | undefined) => {
  for (let part = from; part; part = part.parentElement) {
    const heading = part.querySelector('h1, h2') as HTMLElement | null;
    if (!heading) continue;
    heading.tabIndex = -1;
    return heading.focus({ preventScroll: true });
  }
};

/** Watches the page. A removed or disabled element leaves the focus on the body, where a keyboard starts again. */
const keepFocus = () => {
  let path: Element[] = []; // the focused element and its ancestors
  let wasDisabled = false;
  const remember = ({ target }: FocusEvent) => {
    path = [];
    wasDisabled = false;
    for (let each = target as Element | null; each; each = each.parentElement) path.push(each);
  };
  const restore = () => {
    const focused = path[0] as HTMLButtonElement | undefined;
    if (!focused || document.activeElement !== document.body) return;
    if (!focused.isConnected) return focusHeading(path.find((each) => each.isConnected));
    if (wasDisabled && !focused.disabled) focused.focus({ preventScroll: true });
  };
  const observer = new MutationObserver(() => {
    wasDisabled ||= (path[0] as HTMLButtonElement | undefined)?.disabled === true;
    restore();
  });
  document.addEventListener('focusin', remember);
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  return () => {
    document.removeEventListener('focusin', remember);
    observer.disconnect();
  };
};
