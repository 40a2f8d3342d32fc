import { pick } from '../../../shared/pick.ts';
import type { BlockedRequest } from '../../../shared/run.ts';
import { bareHost, type Target } from '../../lib/targets/public-addresses.ts';
import type { Decision, Outcome } from '../messages.ts';

export type DecisionLog = ReturnType<typeof decisionLog>;

/** Counts the decisions about each host and port. It keeps one entry per target and outcome. */
export const decisionLog = ({ maxOverCaps }: { maxOverCaps: number }) => {
  const decisions = new Map<string, Decision>();
  return {
    record: ({ host, port }: Target, outcome: Outcome, reason?: string): void => {
      const key = `${outcome} ${host}:${port}`;
      const at = performance.now();
      const { count, since } = decisions.get(key) ?? { count: 0, since: at };
      decisions.delete(key); // the entry moves to the end
      decisions.set(key, { host, port, outcome, ...(reason && { reason }), count: count + 1, since, at });
      if (outcome !== 'over-cap') return; // the connection limit bounds the other outcomes
      const overCaps = [...decisions.keys()].filter((kept) => kept.startsWith('over-cap'));
      if (overCaps.length > maxOverCaps) decisions.delete(overCaps[0] as string);
    },

    /** Returns all decisions, newest last. Only old `over-cap` decisions are dropped. */
    all: (): readonly Decision[] => [...decisions.values()],

    /** Returns the newest decision about a target. The host may be spelled as in a URL. */
    last: (host: string, port: number): Decision | undefined =>
      [...decisions.values()].findLast((decision) => decision.host === bareHost(host) && decision.port === port),
  };
};

/** Returns the targets that were not reached, newest last. */
export const failuresIn = (decisions: readonly Decision[]): Pick<Decision, 'host' | 'port' | 'outcome' | 'reason'>[] =>
  decisions
    .filter(({ outcome }) => outcome !== 'allowed')
    .map((each) => pick(each, ['host', 'port', 'outcome', 'reason']));

/** Returns the 50 targets that the proxy refused most often, and the number of all refused requests. */
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

/** Returns the targets whose connections exceeded a limit of the proxy before `until`, a time of `performance.now`. */
export const exceededLimitsIn = (
  decisions: readonly Decision[],
  until = Infinity,
): Pick<Decision, 'host' | 'reason'>[] =>
  decisions.filter(({ outcome, since }) => outcome === 'over-cap' && since <= until);
