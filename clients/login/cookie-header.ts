import { type Cookie, hostOfCookie, isExpired } from '../../shared/options/secrets.ts';

/** Returns the `Cookie` header of a request, as a browser with these cookies would send it. */
export const cookieHeader = (cookies: readonly Cookie[], url: URL, now = Date.now()): { cookie?: string } => {
  const pairs = cookies.filter((each) => isFor(each, url, now)).map(({ name, value }) => `${name}=${value}`);
  return pairs.length === 0 ? {} : { cookie: pairs.join('; ') };
};

const isFor = (cookie: Cookie, { hostname, pathname, protocol }: URL, now: number): boolean => {
  const { domain, path = '/', secure = false } = cookie;
  const host = hostOfCookie(cookie);
  const isOfHost = hostname === host || (domain.startsWith('.') && hostname.endsWith(`.${host}`));
  const isBelow = pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
  return isOfHost && isBelow && !isExpired(cookie, now) && (!secure || protocol === 'https:' || isLoopback(hostname));
};

const isLoopback = (host: string): boolean => /^(?:.+\.)?localhost$|^127\.|^\[::1\]$/.test(host);
