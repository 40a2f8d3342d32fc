import { setTimeout as pause } from 'node:timers/promises';

const PAUSE_MS = 1000;

/**
 * Does the work, and does it once more if GitHub fails. The whole work is repeated, not a request: a comment may exist
 * although GitHub answered its creation with a 5xx.
 */
export const withOneRetry = async <T>(work: () => Promise<T>, ms = PAUSE_MS): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(statusOf(error) >= 500)) throw error;
    await pause(ms);
    return work();
  }
};

/** Returns why a call of GitHub failed, and what to do. Octokit gives a request without an answer the status 500. */
export const githubProblem = (error: unknown): string => {
  const status = statusOf(error);
  if (![401, 403, 404].includes(status))
    return `GitHub failed (${status || (error as Error).message}). Run the job again.`;
  return `GitHub answered ${status}. Add "permissions: pull-requests: write" and "contents: read" to the job. A pull request from a fork has no such permission: the job summary has the results.`;
};

const statusOf = (error: unknown): number => Number((error as { status?: unknown }).status ?? 0);
