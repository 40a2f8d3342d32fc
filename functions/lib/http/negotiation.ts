import Negotiator from 'negotiator';

/** JSON where a client says nothing, or takes anything. A browser names HTML. */
export const prefersHtml = (header: string | undefined): boolean =>
  new Negotiator({ headers: { accept: header ?? '*/*' } }).mediaType(['application/json', 'text/html']) === 'text/html';

export const acceptsGzip = (header: string | undefined): boolean =>
  new Negotiator({ headers: { 'accept-encoding': header ?? 'identity' } }).encodings(['gzip', 'identity'])[0] ===
  'gzip';

/** If-None-Match compares weakly: a tag may come back marked `W/` by a proxy. */
export const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((each) => each.trim().replace(/^W\//, '') === etag));
