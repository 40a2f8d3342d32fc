import type { Caller } from '../../../shared/service/keys.ts';
import { conditionalReply } from './conditional.ts';
import type { Request } from './endpoint.ts';
import type { Look } from './looks.ts';
import type { Reply } from './response.ts';
import { MAX_WAIT_SECONDS, preferredWait, type waiting } from './waiting.ts';

export type Wait = ReturnType<typeof waiting>;

/** Longest wait with a share token, in seconds. Anyone may have the token, and a wait holds an execution on AWS. */
const MAX_SHARED_WAIT_SECONDS = 2;

/**
 * Replies to a GET of a check or a run. Redirects a client that has to wait to `wait-check`, so that waits on AWS use the
 * concurrency of that function, and reads keep their own.
 */
export const readingReply = async (request: Request<Caller>, look: Look): Promise<Reply> => {
  const { read, isAwaited } = reading(request, look);
  const found = await read();
  const seconds = secondsOf(request);
  return seconds && !isAwaited(found) ? redirectToWait(request) : withPreference(found.reply, seconds);
};

/**
 * Replies to a GET of a check or a run. With `Prefer: wait`, waits until `look` finds it finished. With `If-None-Match` too,
 * waits for its next visible change.
 */
export const waitingReply = async (
  request: Request<Caller>,
  wait: Wait,
  { checkId, look }: { checkId: string | undefined; look: Look },
): Promise<Reply> => {
  const { read, isAwaited } = reading(request, look);
  const seconds = secondsOf(request);
  const { reply } = seconds ? await wait(request, { checkId, seconds, read, isAwaited }) : await read();
  return withPreference(reply, seconds);
};

const secondsOf = (request: Request<Caller>): number | undefined =>
  preferredWait(request.headers.prefer, 'reader' in request ? MAX_SHARED_WAIT_SECONDS : MAX_WAIT_SECONDS);

/** Returns how to read the reply, and whether the client needs a reply now. */
const reading = (request: Request<Caller>, look: Look) => {
  const read = async () => {
    const { view, finished } = await look();
    return { finished, reply: conditionalReply(request, view, { finished }) };
  };
  const hasTag = request.headers['if-none-match'] !== undefined;
  const isAwaited = ({ finished, reply }: Awaited<ReturnType<typeof read>>) =>
    finished || (hasTag && reply.status === 200);
  return { read, isAwaited };
};

const VARY = 'Prefer, Accept-Encoding';

const withPreference = (reply: Reply, seconds: number | undefined): Reply => {
  const applied = seconds !== undefined && { 'preference-applied': `wait=${seconds}` };
  return { ...reply, headers: { ...reply.headers, vary: VARY, ...applied } };
};

/** The location is relative to the path of the request, so it also holds behind a proxy that removes a prefix. */
const redirectToWait = ({ path, rawQuery }: Request<Caller>): Reply => {
  const location = `${path.split('/').at(-1)}/wait${rawQuery ? `?${rawQuery}` : ''}`;
  return { status: 307, headers: { location, vary: VARY } };
};
