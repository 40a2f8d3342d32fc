import { pathParameters, routes } from '../../shared/routes.ts';

const nameOf = (checkId: string) => `page-audit-share-${checkId.toLowerCase()}`;

/** Keeps the token of a share link for the tab. The token is in the fragment, which browsers send to no server. */
export const keepShareToken = (checkId: string, hash: string) => {
  const token = new URLSearchParams(hash.slice(1)).get('share');
  if (token) sessionStorage.setItem(nameOf(checkId), token);
};

/** Returns the share token with which this tab reads a check, or null. */
export const shareTokenOf = (checkId: string) => sessionStorage.getItem(nameOf(checkId));

/** Query of the second variant of a run. */
const ofVariant = '?variant=against';

/** Routes that a share link reads. A path with another query needs the key, for example a comparison with a base. */
const sharedRoutes = routes.filter((route) => 'shared' in route);

/** Returns a path of the API with the share token of its check, if this tab has one and a share link reads the path. */
export const withShareToken = (path: string) => {
  const plain = path.endsWith(ofVariant) ? path.slice(0, -ofVariant.length) : path;
  const checkId = sharedRoutes.map((route) => pathParameters(route, plain)?.checkId).find((id) => id !== undefined);
  const token = checkId && shareTokenOf(checkId);
  return token ? `${path}${plain === path ? '?' : '&'}share=${encodeURIComponent(token)}` : path;
};
