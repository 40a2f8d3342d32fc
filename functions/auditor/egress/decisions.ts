import type { BlockedRequest } from '../../../shared/run.ts';
import { bareHost } from '../../lib/public-addresses.ts';
import type { Decision, Outcome } from '../messages.ts';

export type Target = { host: string; port: number };

export type DecisionLog = ReturnType<typeof decisionLog>;

export const decisionLog = ({ maxOverCaps }: { maxOverCaps: number }) => {
  const decisions = new Map<string, Decision>();
  return {
    record: ({ host, port }: Target, outcome: Outcome, reason?: string): void => {
      const key = `${outcome} ${host}:${port}`;
      const at = Date.now();
      const { count, since } = decisions.get(key) ?? { count: 0, since: at };
      decisions.delete(key); // so that it moves to the end
      decisions.set(key, { host, port, outcome, ...(reason && { reason }), count: count + 1, since, at });
      if (outcome !== 'over-cap') return; // these are as few as connections may be
      const overCaps = [...decisions.keys()].filter((kept) => kept.startsWith('over-cap'));
      if (overCaps.length > maxOverCaps) decisions.delete(overCaps[0] as string);
    },

    /** Newest last. Bounded by the connection cap; never loses a host to anything but the noise of `over-cap`. */
    all: (): readonly Decision[] => [...decisions.values()],

    /** The newest decision on a target, for example the main document's; the host may be spelled as in a URL. */
    last: (host: string, port: number): Decision | undefined =>
      [...decisions.values()].findLast((decision) => decision.host === bareHost(host) && decision.port === port),
  };
};

/** What the proxy refused by its policy, the most asked for first: at most 50 targets, and how many requests in all. */
export const blockedRequestsIn = (
  decisions: readonly Decision[],
): { blockedRequests: BlockedRequest[]; blockedRequestCount: number } => {
  const refused = decisions.filter(({ outcome }) => outcome === 'refused');
  return {
    blockedRequests: refused
      .toSorted((a, b) => b.count - a.count)
      .slice(0, MAX_BLOCKED_TARGETS)
      .map(({ host, port, reason = '', count }) => ({ host: host.slice(0, 253), port, reason, count })),
    blockedRequestCount: refused.reduce((sum, { count }) => sum + count, 0),
  };
};
const MAX_BLOCKED_TARGETS = 50;

/** What the page did not get, or not whole, as it passed a limit of the proxy before `until` (epoch ms). */
export const exceededLimitsIn = (
  decisions: readonly Decision[],
  until = Infinity,
): Pick<Decision, 'host' | 'reason'>[] =>
  decisions.filter(({ outcome, since }) => outcome === 'over-cap' && since <= until);
