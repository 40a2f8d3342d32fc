// @ts-check
import { useEffect, useRef } from 'preact/hooks';

/**
 * Moves the focus to the heading of each new view, so that a screen reader reads it. Keeps the focus in its place if the
 * focused element goes away.
 * @param {string | undefined} view undefined until the view is loaded
 */
export const useFocus = (view) => {
  const first = useRef(true);
  useEffect(() => {
    if (view === undefined) return;
    if (!first.current) focusHeading(document.getElementById('main'));
    first.current = false;
  }, [view]);
  useEffect(keepFocus, []);
};

/**
 * Moves the focus to the heading of the smallest part of the page that has one, from an element outwards.
 * @param {Element | null | undefined} from
 */
const focusHeading = (from) => {
  for (let part = from; part; part = part.parentElement) {
    const heading = /** @type {HTMLElement | null} */ (part.querySelector('h1, h2'));
    if (!heading) continue;
    heading.tabIndex = -1;
    return heading.focus({ preventScroll: true });
  }
};

/** Watches the page. A removed or disabled element leaves the focus on the body, where a keyboard starts again. */
const keepFocus = () => {
  /** @type {Element[]} the focused element and its ancestors */
  let path = [];
  let wasDisabled = false;
  const remember = (/** @type {FocusEvent} */ { target }) => {
    path = [];
    wasDisabled = false;
    for (let each = /** @type {Element | null} */ (target); each; each = each.parentElement) path.push(each);
  };
  const restore = () => {
    const focused = /** @type {HTMLButtonElement | undefined} */ (path[0]);
    if (!focused || document.activeElement !== document.body) return;
    if (!focused.isConnected) return focusHeading(path.find((each) => each.isConnected));
    if (wasDisabled && !focused.disabled) focused.focus({ preventScroll: true });
  };
  const observer = new MutationObserver(() => {
    wasDisabled ||= /** @type {HTMLButtonElement | undefined} */ (path[0])?.disabled === true;
    restore();
  });
  document.addEventListener('focusin', remember);
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  return () => {
    document.removeEventListener('focusin', remember);
    observer.disconnect();
  };
};
