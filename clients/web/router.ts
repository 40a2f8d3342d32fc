import { useEffect, useState } from 'preact/hooks';
import { underBase, withoutBase } from './base.ts';
import { keepShareToken } from './session/share.ts';

const id = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const patterns = {
  home: /^\/$/,
  check: new RegExp(`^/checks/(?<checkId>${id})$`, 'i'),
  run: new RegExp(`^/checks/(?<checkId>${id})/runs/(?<runId>${id})$`, 'i'),
  trend: /^\/pages$/,
  schedules: /^\/schedules$/,
  webhooks: /^\/webhooks$/,
  comparison: new RegExp(`^/comparisons/(?<base>${id})\\.\\.\\.(?<checkId>${id})$`, 'i'),
};
const viewNames = Object.keys(patterns) as (keyof typeof patterns)[];
/** The address of a page over time without a URL shows all pages. */
const viewOf = (name: keyof typeof patterns, query: URLSearchParams): ViewName =>
  name === 'trend' && !query.has('url') ? 'pages' : name;

/** Ids in an address. An id is empty if the address has none. */
export type RouteIds = { checkId: string; runId: string; base: string };
type ViewName = keyof typeof patterns | 'pages' | 'unknown';
export type Route = { name: ViewName; ids: RouteIds; query: URLSearchParams; key: string };

const none: RouteIds = { checkId: '', runId: '', base: '' };

/** Returns the view of an address, its ids and its query. */
export const routeOf = ({ pathname, search, hash }: Pick<Location, 'pathname' | 'search' | 'hash'>): Route => {
  const query = new URLSearchParams(search);
  const key = pathname;
  const path = withoutBase(pathname);
  for (const name of viewNames) {
    const found = patterns[name].exec(path);
    if (found) {
      const ids = { ...none, ...found.groups };
      if (ids.checkId) keepShareToken(ids.checkId, hash);
      const view = viewOf(name, query);
      return { name: view, ids, query, key: `${key} ${view}` };
    }
  }
  return { name: 'unknown', ids: none, query, key };
};

/** Shows an address. The same one makes no entry in the history, as with a link: Enter changes and submits a filter. */
export const navigate = (url: string, { scroll = true } = {}) => {
  const to = new URL(underBase(url), location.href).href;
  history[to === location.href ? 'replaceState' : 'pushState'](null, '', to);
  dispatchEvent(new PopStateEvent('popstate'));
  if (scroll) scrollTo(0, 0);
};

export const replaceUrl = (url: string) => history.replaceState(history.state, '', underBase(url));

/** Returns the route of the address bar, and opens links to views without a new load. */
export const useRoute = () => {
  const [route, setRoute] = useState(() => routeOf(location));
  useEffect(() => {
    const update = () => setRoute(routeOf(location));
    const open = (event: MouseEvent) => {
      const link = (event.target as Element).closest('a');
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

const isOurs = (link: HTMLAnchorElement) =>
  link.origin === location.origin && !link.target && !link.download && !link.hash && routeOf(link).name !== 'unknown';
