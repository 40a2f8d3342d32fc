import type { context, getOctokit } from '@actions/github';
import type { Labels } from './inputs.ts';

export type GitHub = ReturnType<typeof getOctokit>;
type Event = Pick<typeof context, 'eventName' | 'payload' | 'sha' | 'ref' | 'repo'>;
type Head = { ref: string; sha: string; repo?: { full_name?: string } | null };
type PullRequest = { number: number; head: Head };

/** The pull request, branch and commit that a workflow audits. An event may name none of them. */
export type Source = { pullRequest?: number; branch?: string; commit?: string };

/** Events that run on the code which they are about. Others run on the default branch. */
const eventsOfRef = ['push', 'schedule', 'workflow_dispatch', 'merge_group'];
const SHA = /^[\da-f]{40}$/;
const PULL_REF = /^(?:refs\/)?pull\/(\d+)\/(?:head|merge)$/;

/** Returns the pull request, branch and commit that the event of the workflow is about. */
export const sourceOf = async (event: Event, github: GitHub): Promise<Source> => {
  const { eventName, payload, sha, ref } = event;
  const { pull_request: pullRequest, issue, workflow_run: run, deployment } = payload;
  if (pullRequest) return sourceOfPullRequest(event, pullRequest as unknown as PullRequest);
  if (issue?.pull_request) return sourceOfNumber(event, github, issue.number);
  if (run) return sourceOfRun(event, github, run);
  if (deployment) return sourceOfDeployment(event, github, deployment);
  if (!eventsOfRef.includes(eventName)) return {};
  return { commit: sha, ...(ref.startsWith('refs/heads/') && { branch: ref.slice('refs/heads/'.length) }) };
};

/** Returns the labels of the checks, by which a later check finds its base. */
export const labelsOf = ({ branch, commit }: Source, { owner, repo }: Event['repo']): Labels => ({
  ...(branch && { branch }),
  ...(commit && { commit }),
  repository: `${owner}/${repo}`,
});

/** A branch of a fork has its owner in front. Otherwise a fork's branch main would make the base of everybody. */
const branchOf = ({ repo: { owner, repo } }: Event, { ref, repo: head }: Omit<Head, 'sha'>): string => {
  if (head?.full_name?.toLowerCase() === `${owner}/${repo}`.toLowerCase()) return ref;
  return `${head?.full_name?.split('/')[0] ?? 'unknown'}:${ref}`;
};

const sourceOfPullRequest = (event: Event, { number, head }: PullRequest): Source => ({
  pullRequest: number,
  branch: branchOf(event, head),
  commit: head.sha,
});

const sourceOfNumber = async (event: Event, { rest }: GitHub, number: number): Promise<Source> =>
  sourceOfPullRequest(event, (await rest.pulls.get({ ...event.repo, pull_number: number })).data);

type WorkflowRun = {
  event: string;
  head_branch: string;
  head_sha: string;
  head_repository: { full_name: string; owner: { login: string } } | null;
  pull_requests?: Omit<PullRequest, 'branch'>[];
};

/** GitHub lists no pull request for a run of a fork, so this looks for an open one of the fork's branch. */
const sourceOfRun = async (event: Event, { rest }: GitHub, run: WorkflowRun): Promise<Source> => {
  const { head_branch: ref, head_sha: commit, head_repository: repo, pull_requests: named = [] } = run;
  const isOfCommit = ({ head }: PullRequest) => head.sha === commit;
  const source = { branch: branchOf(event, { ref, repo }), commit };
  const known = named.find(isOfCommit) ?? named[0];
  if (known) return { ...source, pullRequest: known.number };
  if (!run.event.startsWith('pull_request') || !repo) return source;
  const { data } = await rest.pulls.list({ ...event.repo, state: 'open', head: `${repo.owner.login}:${ref}` });
  const found = data.find(isOfCommit);
  return { ...source, ...(found && { pullRequest: found.number }) };
};

/** A deployment names a commit, and sometimes a branch or a pull request. */
const sourceOfDeployment = async (
  event: Event,
  github: GitHub,
  { sha: commit, ref }: { sha: string; ref: string },
): Promise<Source> => {
  const { repo, payload } = event;
  const number = PULL_REF.exec(ref)?.[1];
  if (number) return sourceOfNumber(event, github, Number(number));
  const { data: pulls } = await github.rest.repos.listPullRequestsAssociatedWithCommit({ ...repo, commit_sha: commit });
  const found = pulls.find(({ state, head }) => state === 'open' && head.sha === commit);
  if (found) return sourceOfPullRequest(event, found);
  if (!SHA.test(ref)) return { branch: ref.replace('refs/heads/', ''), commit };
  const { data: branches } = await github.rest.repos.listBranchesForHeadCommit({ ...repo, commit_sha: commit });
  const names = branches.map(({ name }) => name);
  const branch = names.find((name) => name === payload.repository?.default_branch) ?? names[0];
  return { ...(branch && { branch }), commit };
};
