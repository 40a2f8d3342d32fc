import Negotiator from 'negotiator';

/** Returns true if an `Accept` header ranks HTML above JSON. JSON wins a tie and is the default. */
export const prefersHtml = (header: string | undefined): boolean =>
  new Negotiator({ headers: { accept: header ?? '*/*' } }).mediaType(['application/json', 'text/html']) === 'text/html';

export const NDJSON = 'application/x-ndjson';

/** Returns the form of a list that an `Accept` header ranks highest. JSON wins a tie and is the default. */
export const listFormOf = (header: string | undefined): 'json' | 'csv' | 'ndjson' => {
  const forms = new Map([
    ['application/json', 'json'] as const,
    ['text/csv', 'csv'] as const,
    [NDJSON, 'ndjson'] as const,
  ]);
  const type = new Negotiator({ headers: { accept: header ?? '*/*' } }).mediaType([...forms.keys()]);
  return forms.get(type as typeof NDJSON) ?? 'json';
};

/** Returns true if an `Accept-Encoding` header allows gzip and doesn't prefer the plain form. */
export const acceptsGzip = (header: string | undefined): boolean =>
  new Negotiator({ headers: { 'accept-encoding': header ?? 'identity' } }).encodings(['gzip', 'identity'])[0] ===
  'gzip';

/** Returns true if an `If-None-Match` header matches the tag. The comparison is weak, because proxies may add `W/`. */
export const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((each) => each.trim().replace(/^W\//, '') === etag));
