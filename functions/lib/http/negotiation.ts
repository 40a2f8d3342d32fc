import Negotiator from 'negotiator';

/** JSON where a client says nothing, or takes anything. A browser names HTML. */
export const prefersHtml = (accepted: string | undefined): boolean =>
  new Negotiator({ headers: { accept: accepted ?? '*/*' } }).mediaType(['application/json', 'text/html']) ===
  'text/html';

export const acceptsGzip = (accepted: string | undefined): boolean =>
  new Negotiator({ headers: { 'accept-encoding': accepted ?? 'identity' } }).encodings(['gzip', 'identity'])[0] ===
  'gzip';

/** If-None-Match compares weakly: a tag may come back marked `W/` by a proxy. */
export const matches = (sent: string | undefined, etag: string): boolean =>
  sent !== undefined &&
  (sent.trim() === '*' || sent.split(',').some((each) => each.trim().replace(/^W\//, '') === etag));
