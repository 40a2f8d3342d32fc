import { createHash } from 'node:crypto';
import { isCompressed } from './compression.ts';
import type { Request } from './endpoint.ts';
import { matchesEtag } from './negotiation.ts';
import type { Reply } from './response.ts';

/** Seconds after which a client should read an unfinished check or run again. */
const RETRY_AFTER_SECONDS = '2';

/**
 * Returns the reply to a GET of a check or a run: 304 if `If-None-Match` matches the view, otherwise 200. The `ETag` is a
 * hash of the view, and differs for the compressed form, as a strong tag must. An unfinished view has `Retry-After`.
 */
export const conditionalReply = (
  { headers }: Pick<Request, 'headers'>,
  view: object,
  { finished }: { finished: boolean },
): Reply => {
  const text = JSON.stringify(view);
  const hash = createHash('sha256').update(text).digest('base64url');
  const etag = `"${hash}${isCompressed(headers, text) ? '-gzip' : ''}"`;
  const own = { etag, vary: 'Accept-Encoding', ...(!finished && { 'retry-after': RETRY_AFTER_SECONDS }) };
  return matchesEtag(headers['if-none-match'], etag)
    ? { status: 304, headers: own }
    : { status: 200, headers: own, body: view };
};
