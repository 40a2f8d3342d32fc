import { pathParameters, shareRoutes } from '../../../shared/service/share-routes.ts';

const nameOf = (checkId: string) => `page-audit-share-${checkId.toLowerCase()}`;

/** Keeps the token of a share link for the tab. The token is in the fragment, which browsers send to no server. */
export const keepShareToken = (checkId: string, hash: string) => {
  const token = new URLSearchParams(hash.slice(1)).get('share');
  if (token) sessionStorage.setItem(nameOf(checkId), token);
};

/** Returns the share token with which this tab reads a check, or null. */
export const shareTokenOf = (checkId: string) => sessionStorage.getItem(nameOf(checkId));

/** Forgets the token of a check, because this tab may read the check without it. */
export const dropShareToken = (checkId: string) => sessionStorage.removeItem(nameOf(checkId));

/** Returns the id of the check whose token a request for this path would carry. */
export const sharedCheckOf = (path: string): string | undefined => {
  const checkId = checkOf(path);
  return checkId !== undefined && shareTokenOf(checkId) !== null ? checkId : undefined;
};

/** Returns what is missing if a check or a run does not exist. A reader with a link learns that the link is dead. */
export const missingOr = (missing: string, checkId: string) =>
  shareTokenOf(checkId) === null
    ? missing
    : 'This link is dead. It has expired, its owner has revoked it, or its check was erased. Ask its sender for a new one.';

/** Query of the second variant of a run. */
const ofVariant = '?variant=against';

/** Returns a path of the API with the share token of its check, if this tab has one and a share link reads the path. */
export const withShareToken = (path: string) => {
  const checkId = checkOf(path);
  const token = checkId && shareTokenOf(checkId);
  return token ? `${path}${path.includes('?') ? '&' : '?'}share=${encodeURIComponent(token)}` : path;
};

/** Returns the id of the check, if a share link reads the path. */
const checkOf = (path: string): string | undefined => {
  const plain = path.endsWith(ofVariant) ? path.slice(0, -ofVariant.length) : path;
  const routes = Object.values(shareRoutes); // a path with another query needs the key, such as a comparison with a base
  return routes.map((route) => pathParameters(route, plain)?.checkId).find((id) => id !== undefined);
};
