// @ts-check
import { useEffect, useState } from 'preact/hooks';
import { keepShareToken } from './share.js';

const id = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const patterns = /** @type {const} */ ({
  home: /^\/$/,
  check: new RegExp(`^/checks/(?<checkId>${id})$`, 'i'),
  run: new RegExp(`^/checks/(?<checkId>${id})/runs/(?<runId>${id})$`, 'i'),
  trend: /^\/pages$/,
  comparison: new RegExp(`^/comparisons/(?<base>${id})\\.\\.\\.(?<checkId>${id})$`, 'i'),
});

/** @typedef {{ name: keyof typeof patterns | 'unknown', params: Record<string, string>, query: URLSearchParams, key: string }} Route */

/**
 * Returns the view of an address and its parameters.
 * @param {Pick<Location, 'pathname' | 'search' | 'hash'>} location
 * @returns {Route}
 */
export const routeOf = ({ pathname, search, hash }) => {
  const query = new URLSearchParams(search);
  for (const [name, pattern] of Object.entries(patterns)) {
    const found = pattern.exec(pathname);
    if (found) {
      const params = { ...found.groups };
      if (params.checkId) keepShareToken(params.checkId, hash);
      return { name: /** @type {keyof typeof patterns} */ (name), params, query, key: pathname };
    }
  }
  return { name: 'unknown', params: {}, query, key: pathname };
};

/** @param {string} url */
export const navigate = (url) => {
  history.pushState(null, '', url);
  dispatchEvent(new PopStateEvent('popstate'));
  scrollTo(0, 0);
};

/** @param {string} url */
export const replaceUrl = (url) => history.replaceState(history.state, '', url);

/** Returns the route of the address bar, and opens links to views without a new load. */
export const useRoute = () => {
  const [route, setRoute] = useState(() => routeOf(location));
  useEffect(() => {
    const update = () => setRoute(routeOf(location));
    const open = (/** @type {MouseEvent} */ event) => {
      const link = /** @type {Element} */ (event.target).closest('a');
      if (!link || !isOurs(link) || event.defaultPrevented || event.button !== 0) return;
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      navigate(link.href);
    };
    addEventListener('popstate', update);
    document.addEventListener('click', open);
    return () => {
      removeEventListener('popstate', update);
      document.removeEventListener('click', open);
    };
  }, []);
  return route;
};

/** @param {HTMLAnchorElement} link */
const isOurs = (link) =>
  link.origin === location.origin && !link.target && !link.download && !link.hash && routeOf(link).name !== 'unknown';
