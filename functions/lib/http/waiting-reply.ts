import type { Caller } from '../../../shared/keys.ts';
import { conditionalReply } from './conditional.ts';
import type { Request } from './endpoint.ts';
import type { Reply } from './response.ts';
import { MAX_WAIT_SECONDS, preferredWait, type waiting } from './waiting.ts';

export type Wait = ReturnType<typeof waiting>;

/** Longest wait with a share token, in seconds. Anyone may have the token, and a wait holds an execution on AWS. */
const MAX_SHARED_WAIT_SECONDS = 2;

/**
 * Replies to a GET of a check or a run. With `Prefer: wait`, waits until `look` finds it finished. With `If-None-Match` too,
 * waits for its next visible change.
 */
export const waitingReply = async (
  request: Request<Caller>,
  wait: Wait,
  checkId: string | undefined,
  look: () => Promise<{ view: object; finished: boolean }>,
): Promise<Reply> => {
  const read = async () => {
    const { view, finished } = await look();
    return { finished, reply: conditionalReply(request, view, { finished }) };
  };
  const hasTag = request.headers['if-none-match'] !== undefined;
  const isAwaited = ({ finished, reply }: Awaited<ReturnType<typeof read>>) =>
    finished || (hasTag && reply.status === 200);

  const longest = 'reader' in request ? MAX_SHARED_WAIT_SECONDS : MAX_WAIT_SECONDS;
  const seconds = preferredWait(request.headers.prefer, longest);
  const { reply } = seconds ? await wait(request, { checkId, seconds, read, isAwaited }) : await read();
  const applied = seconds !== undefined && { 'preference-applied': `wait=${seconds}` };
  return { ...reply, headers: { ...reply.headers, vary: 'Prefer, Accept-Encoding', ...applied } };
};
