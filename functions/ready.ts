import { ApiProblemError } from '../shared/problems.ts';
import type { Readiness, RegionList } from '../shared/service/offer.ts';
import { machineNow } from './lib/audit-host.ts';
import { regionRows } from './lib/checks/region-rows.ts';
import { http } from './lib/http/http.ts';
import type { Reply } from './lib/http/response.ts';
import { log } from './lib/log.ts';
import { currentObstacle } from './lib/readiness.ts';
import { openDb } from './lib/store/dynamodb.ts';
import { type RegionStatus, regionStore } from './lib/store/regions.ts';

/**
 * GET /ready: answers with the state of each region. Answers 503 with the reason while the table does not respond, while
 * this machine can't audit, or while no region can.
 */
export const handler = http('ready', (env) => {
  const store = regionStore(openDb(env));
  return ready({
    readRegions: () => store.read(env.REGIONS),
    successWithinMinutes: env.SUCCESS_WITHIN_MINUTES,
    place: env.REGION_PLACE,
    obstacle: currentObstacle,
  });
});

type Deps = {
  readRegions: () => Promise<RegionStatus[]>;
  successWithinMinutes: number | undefined;
  place?: string | undefined;
  obstacle: () => string | undefined;
  now?: () => Date;
};

export const ready =
  ({ readRegions, successWithinMinutes, place, obstacle, now = () => new Date() }: Deps) =>
  async (): Promise<Reply> => {
    const reason = obstacle();
    if (reason !== undefined) throw notReady(reason);
    const statuses = await readRegions().catch(tableFailed);
    const regions: RegionList['regions'] = regionRows(statuses, { successWithinMinutes, place }, now());
    if (!regions.some(({ available }) => available))
      throw notReady('No region is available. GET /v1/regions says why.');
    const body: Readiness = { status: 'ready', regions, ...machineNow(now()) };
    return { status: 200, body };
  };

const notReady = (reason: string) =>
  new ApiProblemError('unavailable', `The service can't audit pages now. ${reason}`, {
    headers: { 'retry-after': '10' },
  });

const tableFailed = (error: Error): never => {
  log.error('The service is not ready.', { error });
  throw notReady('Its table does not respond.');
};
