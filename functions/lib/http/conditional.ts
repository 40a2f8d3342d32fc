import { createHash } from 'node:crypto';
import type { Request } from './endpoint.ts';
import { matchesEtag } from './negotiation.ts';
import type { Reply } from './response.ts';

/** Seconds after which a client should read an unfinished check or run again. */
const RETRY_AFTER_SECONDS = '2';

/**
 * Returns the reply to a GET of a check or a run: 304 if `If-None-Match` matches the view, otherwise 200. The `ETag` is a
 * hash of the view. An unfinished view has `Retry-After`.
 */
export const conditionalReply = (
  { headers }: Pick<Request, 'headers'>,
  view: object,
  { finished }: { finished: boolean },
): Reply => {
  const etag = `"${createHash('sha256').update(JSON.stringify(view)).digest('base64url')}"`;
  const own = { etag, ...(!finished && { 'retry-after': RETRY_AFTER_SECONDS }) };
  return matchesEtag(headers['if-none-match'], etag)
    ? { status: 304, headers: own }
    : { status: 200, headers: own, body: view };
};
