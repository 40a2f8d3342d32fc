import { type RunFixes, worstRun } from '../../shared/fixes/worst-run.ts';
import type { Client } from './client.ts';
import { ServiceError } from './service-error.ts';

/** Returns what to fix first in a run, or in the worst run of a check. */
export const findFixes = async (
  client: Client,
  id: string,
  { signal }: { signal?: AbortSignal },
): Promise<RunFixes> => {
  const check = await client.get(id, { signal }).catch(nothingIfMissing);
  const runs = check?.runs ?? [await client.run(id, { signal })];
  const run = worstRun(runs) ?? runs[0]; // the service says why a run has no fixes
  if (!run) throw new Error(`The check ${id} has no runs.`);
  return { run, fixes: await client.fixes(run, { signal }) };
};

const nothingIfMissing = (error: unknown): undefined => {
  if (!(error instanceof ServiceError && error.code === 'not-found')) throw error;
};
