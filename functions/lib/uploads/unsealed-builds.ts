import { ApiProblemError } from '../../../shared/problems.ts';
import { type LimitName, type PlanName, planLimits, plans } from '../../../shared/service/plans.ts';
import type { Request } from '../http/endpoint.ts';
import { log } from '../log.ts';
import type { Unsealed } from '../store/builds.ts';
import type { LighthouseCiDeps } from './build-parts.ts';
import { discardUploads, endSeal } from './seal-build.ts';

/** Time after which a build without a seal is abandoned. */
const ABANDONED_MS = 24 * 3600 * 1000;
/** Abandoned builds that a new build ends, so that no create is slow. */
const ENDED_AT_ONCE = 3;
/** Plan whose limits apply without a plan, because the unsealed builds of an owner are counted at each create. */
const largest: PlanName = 'large';
const MEGABYTE = 1_000_000;

/** Ends builds that were abandoned, and throws the problem if the owner has too many others for one more. */
export const makeRoom = async (deps: LighthouseCiDeps, request: Request, id: string): Promise<void> => {
  const { builds, now } = deps;
  const isOld = ({ since }: Unsealed) => Date.parse(since) + ABANDONED_MS < now().getTime();
  const others = (await builds.unsealed(request.owner)).filter((each) => each.id !== id);
  const old = others.filter(isOld).slice(0, ENDED_AT_ONCE);
  for (const each of old)
    await endAbandoned(deps, request, each).catch((error: Error) =>
      log.warn('Could not end an abandoned build. The next build of its owner retries.', { build: each.id, error }),
    );
  requireBelow(request, 'unsealedBuilds', others.length - old.length);
};

/** Throws the problem if the unsealed builds of an owner have too many bytes for one more report. */
export const requireRoom = async ({ builds }: LighthouseCiDeps, request: Request): Promise<void> => {
  const bytes = (await builds.unsealed(request.owner)).reduce((sum, each) => sum + each.bytes, 0);
  requireBelow(request, 'unsealedMegabytes', bytes / MEGABYTE);
};

const requireBelow = ({ plan }: Request, name: LimitName, count: number): void => {
  const max = plans[plan ?? largest][name];
  if (count < max) return;
  throw new ApiProblemError(
    'too-many-requests',
    `An owner can have ${max} ${planLimits[name].text}. Seal builds that are complete. A build without a seal ends after a day.`,
    { headers: { 'retry-after': '60' } },
  );
};

/** Deletes an abandoned build with its reports, or completes its seal. */
const endAbandoned = async (deps: LighthouseCiDeps, request: Request, unsealed: Unsealed): Promise<void> => {
  const { builds } = deps;
  const { owner } = request;
  const build = await builds.find(owner, unsealed.id);
  if (build && build.lifecycle !== 'unsealed') await endSeal(deps, request, build);
  else if (build && !(await builds.remove(owner, build)))
    return; // it goes on
  else await discardUploads(deps, owner, unsealed.id);
  await builds.removeUnsealed(owner, unsealed);
};
