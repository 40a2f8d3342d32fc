import { type RunError, type RunProblemCode, runError, runProblems } from '../../../shared/problems.ts';
import type { Attempt } from '../../../shared/run.ts';

type RetryRule = {
  /** Selects the failures that this rule retries. */
  retries: (newest: FailedAttempt) => boolean;
  /** Selects the attempts that count towards the limit. */
  counts: (attempt: FailedAttempt, newest: FailedAttempt) => boolean;
  /** Number of counted attempts after which the rule retries no more. */
  limit: number;
  /** Error code of the run once the limit is reached. By default the run has the code of its newest attempt. */
  codeAtLimit?: RunProblemCode;
  /** Error code of the run if it ends before the limit is reached. */
  codeBelowLimit?: RunProblemCode;
};
type FailedAttempt = Attempt & { code: RunProblemCode };

/** Audit code of an attempt that made no progress. */
export const PAGE_STALLED = 'PAGE_STALLED';

/** Audit codes of an attempt in which a part did not respond although it was idle. */
export const BROWSER_FROZEN = 'BROWSER_FROZEN';
export const PAGE_FROZEN = 'PAGE_FROZEN';

const isStalled = ({ auditCode }: Attempt): boolean => auditCode === PAGE_STALLED;
const isTimeout = ({ code, auditCode }: Attempt): boolean =>
  (code === 'audit-timeout' || code === 'protocol-timeout') && auditCode !== BROWSER_FROZEN;
/** The page may have hung only in the parts that a retry skips. */
export const isHang = (attempt: Attempt): boolean => isTimeout(attempt) || isStalled(attempt);
const isCrash = ({ code }: Attempt): boolean => code === 'page-crashed';
const isRetryable = ({ code }: FailedAttempt): boolean => runProblems[code].retryable;

const retryRules: readonly RetryRule[] = [
  {
    // The page is to blame for two hangs, also on a busy machine, because no time limit counts starvation. Only the limit of
    // an attempt may end before the page had its time.
    retries: isHang,
    counts: (attempt) => isHang(attempt) && !(attempt.code === 'audit-timeout' && attempt.contended),
    limit: 2,
    codeAtLimit: 'page-hung',
  },
  {
    // A renderer can crash by chance. The page is to blame if it crashes twice.
    retries: isCrash,
    counts: isCrash,
    limit: 2,
    codeBelowLimit: 'browser-crashed',
  },
  {
    // Each audit timeout takes two minutes, so two of them end all retries.
    retries: isRetryable,
    counts: ({ code }) => code === 'audit-timeout',
    limit: 2,
  },
];

/** Returns true if the newest attempt, which failed, is retried: a rule selects it, and no such rule is at its limit. */
export const isRetried = (attempts: readonly Attempt[]): boolean => {
  const failures = failed(attempts);
  const rules = retryRules.filter(({ retries }) => failures.slice(-1).some(retries));
  return rules.length > 0 && !rules.some((rule) => isAtLimit(rule, failures));
};

/** Returns the error of a run that is not retried. `newest` is the error of its newest attempt, if known. */
export const errorOf = (attempts: readonly Attempt[], newest: RunError | undefined): RunError => {
  const failures = failed(attempts);
  const auditCode = attempts.at(-1)?.auditCode ?? null;
  const reached = retryRules.find((rule) => rule.codeAtLimit && isAtLimit(rule, failures));
  if (reached?.codeAtLimit) {
    const detail = auditCode && newest && { detail: newest.message }; // Lighthouse's message names what it waited for
    return runError(reached.codeAtLimit, { auditCode, ...detail });
  }
  const unreached = retryRules.find((rule) => rule.codeBelowLimit && failures.slice(-1).some(rule.retries));
  if (unreached?.codeBelowLimit && !isAtLimit(unreached, failures)) {
    return runError(unreached.codeBelowLimit, { auditCode });
  }
  return newest ?? runError(attempts.at(-1)?.code ?? 'internal', { auditCode });
};

const isAtLimit = ({ counts, limit }: RetryRule, failures: readonly FailedAttempt[]): boolean => {
  const newest = failures.at(-1);
  return newest !== undefined && failures.filter((attempt) => counts(attempt, newest)).length >= limit;
};

const failed = (attempts: readonly Attempt[]): FailedAttempt[] =>
  attempts.filter((attempt): attempt is FailedAttempt => attempt.code !== null);
