/** Paths at which a site asks who its visitor is. */
const LOGIN_PATH =
  /(?:^|[/._#!-])(?:log[-_]?[io]n|sign[-_]?[io]n|sso|auth|oauth2?|authorize|authenticate|saml2?)(?:[/._-]|$)/i;

/** Status with which a site refuses its visitor. */
export const isRefusal = (status: number | null): boolean => status === 401 || status === 403;

/** Returns true if the page led elsewhere, to a page that asks for a password, refuses its visitor, or is called a login. */
export const isAtLogin = (
  requestedUrl: string,
  finalUrl: string | null,
  { asksForPassword, status }: { asksForPassword: boolean; status: number | null },
): boolean => {
  const final = URL.parse(finalUrl ?? '');
  if (!final || isSamePlace(requestedUrl, final.href)) return false;
  return asksForPassword || isRefusal(status) || LOGIN_PATH.test(final.pathname + final.hash);
};

export const isSamePlace = (url: string, other: string): boolean => placeOf(new URL(url)) === placeOf(new URL(other));

/** Returns an address without its query and its last slash. The fragment may be a path of a page that routes itself. */
const placeOf = ({ origin, pathname, hash }: URL): string => `${origin}${pathname.replace(/\/$/, '')}${hash}`;
