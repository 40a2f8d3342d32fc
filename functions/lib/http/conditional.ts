import { createHash } from 'node:crypto';
import { isCompressed } from './compression.ts';
import type { Request } from './endpoint.ts';
import { matchesEtag } from './negotiation.ts';
import type { Reply } from './response.ts';

/** Seconds after which a client should read an unfinished check or run again. */
const RETRY_AFTER_SECONDS = '2';

/**
 * Returns the reply to a GET with this text: 304 if `If-None-Match` matches it, otherwise 200. The `ETag` is a hash of the
 * text, and differs for the compressed form, as a strong tag must. `type` is the content type, beside other headers.
 */
export const conditionalText = (
  { headers }: Pick<Request, 'headers'>,
  text: string,
  { type, ...more }: Record<string, string>,
): Reply => {
  const hash = createHash('sha256').update(text).digest('base64url');
  const etag = `"${hash}${isCompressed(headers, text) ? '-gzip' : ''}"`;
  const own = { etag, vary: 'Accept-Encoding', ...more };
  return matchesEtag(headers['if-none-match'], etag)
    ? { status: 304, headers: own }
    : { status: 200, headers: { ...own, ...(type && { 'content-type': type }) }, body: text };
};

/** Returns the same for a view, such as that of a check or a run. An unfinished view has `Retry-After`. */
export const conditionalReply = (
  request: Pick<Request, 'headers'>,
  view: object,
  { finished }: { finished: boolean },
): Reply => {
  const more: Record<string, string> = finished ? {} : { 'retry-after': RETRY_AFTER_SECONDS };
  const reply = conditionalText(request, JSON.stringify(view), more);
  return reply.status === 304 ? reply : { ...reply, body: view };
};
