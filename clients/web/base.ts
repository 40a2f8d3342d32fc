import { options } from 'preact';

/** Path of the service on its host, for example `/audit`, or an empty text. The service writes it into the page. */
const base = typeof document === 'undefined' ? '' : (document.documentElement.dataset.base ?? '');

export const serviceUrl = (): string => location.origin + base;

/** Returns a path of the service as a browser needs it. A path that has the base stays as it is. */
export const underBase = (path: string): string =>
  path.startsWith('/') && !path.startsWith(`${base}/`) ? base + path : path;

/** Returns a path of the address bar, or of a link of the API, as a path of the service. */
export const withoutBase = (path: string): string => {
  if (path === base) return '/';
  return path.startsWith(`${base}/`) ? path.slice(base.length) : path;
};

/** Puts each link of the page under the base, so that no view has to. */
export const keepLinksUnderBase = () => {
  const before = options.vnode;
  options.vnode = (vnode) => {
    const { href } = vnode.props as { href?: unknown };
    if (vnode.type === 'a' && typeof href === 'string') Object.assign(vnode.props, { href: underBase(href) });
    before?.(vnode);
  };
};
