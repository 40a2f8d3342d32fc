import { ApiProblemError } from '../../../shared/problems.ts';
import { rateLimitHeaders } from '../../../shared/service/limits.ts';
import { auditLimits, limitText, type PlanName } from '../../../shared/service/plans.ts';
import type { Allowed, Refusal, UsageStore } from '../store/usage.ts';

/** Permission for a create. `headers` are for the client. usage.ts describes the calls that end it. */
export type Permit = { countsAsOpen: boolean; headers: Record<string, string> } & Pick<
  Allowed,
  'settle' | 'refund' | 'join'
>;

/** Takes the tokens of a create. Throws the problem if a limit is reached. Without a plan, no limits apply. */
export const permitCreate = async (
  usage: Pick<UsageStore, 'take'>,
  { owner, plan }: { owner: string; plan?: PlanName },
  create: Parameters<UsageStore['take']>[1],
  now: Date,
): Promise<Permit> => {
  if (!plan) return unlimited;
  const taken = await usage.take({ owner, plan }, create, now);
  if ('refused' in taken) throw taken.refused === 'crowded-out' ? crowdedOut() : tooManyRequests(plan, taken.refused);
  const { buckets, ...ends } = taken.allowed;
  return { countsAsOpen: true, headers: rateLimitHeaders(buckets, plan), ...ends };
};

const nothing = async () => {};
const unlimited: Permit = { countsAsOpen: false, headers: {}, settle: nothing, refund: nothing, join: nothing };

const crowdedOut = () =>
  new ApiProblemError(
    'unavailable',
    'Too many checks are being created with keys of this owner at once. Retry in 1 s.',
    {
      headers: { 'retry-after': '1' },
    },
  );

const tooManyRequests = (plan: PlanName, { limit, audits, retryAfterSeconds, buckets }: Refusal) => {
  const allowance = limitText(plan, limit) + (limit in auditLimits ? `, and this check needs ${audits}` : '');
  return new ApiProblemError('too-many-requests', `The plan allows ${allowance}. Retry in ${retryAfterSeconds} s.`, {
    headers: { ...rateLimitHeaders(buckets, plan), 'retry-after': String(retryAfterSeconds) },
  });
};
