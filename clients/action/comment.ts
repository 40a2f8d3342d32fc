import type { GitHub } from './source.ts';

type Target = { owner: string; repo: string; pullRequest: number; marker: string };

/** Writes the comment that begins with the marker, or updates it. The marker is an HTML comment, so nobody sees it. */
export const writeComment = async (github: GitHub, target: Target, markdown: string): Promise<void> => {
  const { owner, repo, pullRequest, marker } = target;
  const body = `${marker}\n${markdown}`;
  const id = await findComment(github, target);
  if (id === undefined) await github.rest.issues.createComment({ owner, repo, issue_number: pullRequest, body });
  else await github.rest.issues.updateComment({ owner, repo, comment_id: id, body });
};

/** Returns the id of the comment. A user's comment never counts, because users can copy the marker. */
const findComment = async ({ rest, paginate }: GitHub, { owner, repo, pullRequest, marker }: Target) => {
  const parameters = { owner, repo, issue_number: pullRequest, per_page: 100 };
  for await (const { data } of paginate.iterator(rest.issues.listComments, parameters)) {
    const ours = data.find(({ body, user }) => user?.type === 'Bot' && body?.startsWith(marker));
    if (ours) return ours.id;
  }
  return undefined;
};
