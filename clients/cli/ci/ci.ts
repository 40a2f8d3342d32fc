import type { Context } from '../context.ts';

export const ciNames = ['github', 'gitlab', 'none'] as const;
type Options = { ci?: (typeof ciNames)[number]; format: string; allowEmpty?: boolean };

/** Runs a command, and shows its results as the CI service does whose job this is. */
export const inCi = async (
  context: Context,
  options: Options,
  work: (context: Context) => Promise<number>,
): Promise<number> => {
  const { GITHUB_ACTIONS, GITLAB_CI } = context.env;
  const found = GITHUB_ACTIONS === 'true' ? 'github' : GITLAB_CI === 'true' ? 'gitlab' : 'none';
  const ci = options.ci ?? found;
  if (ci === 'github') return (await import('./github.ts')).inGitHub(context, options, work);
  if (ci === 'none') return work(context);
  const { reportToGitLab } = await import('./gitlab.ts');
  return work({ ...context, report: (results) => reportToGitLab(results, options) });
};
