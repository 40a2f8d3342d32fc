import type { Badge, BadgeList, CreateBadgeBody } from '../../shared/badges.ts';
import type { ReadOptions, Signal } from './transport.ts';

type Requests = {
  read: <T>(path: string, options: ReadOptions) => Promise<T>;
  erase: (path: string, signal: AbortSignal | undefined) => Promise<void>;
};

/** Returns the functions of a client for badges. */
export const badgesOf = ({ read, erase }: Requests) => ({
  /** Returns the badge of a page. The same inputs give the same one. */
  make: ({ signal, ...body }: Signal & CreateBadgeBody): Promise<Badge> =>
    read('/v1/badges', { method: 'POST', body, field: 'markdown', signal }),

  list: ({ signal }: Signal = {}): Promise<BadgeList> => read('/v1/badges', { field: 'badges', signal }),

  revoke: (id: string, { signal }: Signal = {}): Promise<void> => erase(`/v1/badges/${encodeURIComponent(id)}`, signal),
});
