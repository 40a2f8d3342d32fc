const TIMEOUT_MS = 15_000;
const PAGE_SIZE = 100;

type Comment = { id: number; body?: string; user?: { type?: string } | null };
type Target = {
  /** URL of GitHub's REST API. */
  apiUrl: string;
  repository: string;
  pullRequest: number;
  token: string;
  /** Text that finds the comment again. It is invisible, because it is an HTML comment. */
  marker: string;
};

/** Writes the comment of the action on the pull request, or updates it. Throws an Error that says what to do. */
export const writeComment = async (target: Target, markdown: string): Promise<void> => {
  const { repository, pullRequest, marker } = target;
  const comments = `/repos/${repository}/issues/${pullRequest}/comments`;
  const body = JSON.stringify({ body: `${marker}\n${markdown}` });
  const id = await findComment(target, comments);
  if (id === undefined) await request(target, 'POST', comments, body);
  else await request(target, 'PATCH', `/repos/${repository}/issues/comments/${id}`, body);
};

/** Returns the id of the comment that begins with the marker. A user's comment never counts, because users can copy it. */
const findComment = async (target: Target, path: string): Promise<number | undefined> => {
  for (let page = 1; ; page += 1) {
    const answer = await request(target, 'GET', `${path}?per_page=${PAGE_SIZE}&page=${page}`);
    const comments = (await answer.json()) as Comment[];
    const ours = comments.find(({ body, user }) => user?.type === 'Bot' && body?.startsWith(target.marker));
    if (ours) return ours.id;
    if (comments.length < PAGE_SIZE) return undefined;
  }
};

const request = async ({ apiUrl, token }: Target, method: string, path: string, body?: string): Promise<Response> => {
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${token}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await fetch(`${apiUrl}${path}`, { method, headers, signal, ...(body !== undefined && { body }) });
  if (answer.ok) return answer;
  const isForbidden = [401, 403, 404].includes(answer.status);
  const nextStep = isForbidden
    ? 'Add "permissions: pull-requests: write" to the job. A pull request from a fork has no such permission.'
    : 'Run the job again.';
  throw new Error(`GitHub answered ${answer.status} to the comment on the pull request. ${nextStep}`);
};
