import { aliasesOf, auditVersions } from '../shared/audit-versions.ts';
import { MAX_BODY_BYTES } from '../shared/check.ts';
import { existsIn, valueNames } from '../shared/metrics/page-metrics.ts';
import { categoriesIn, MAX_SAMPLES } from '../shared/options/audit-options.ts';
import { ApiProblemError } from '../shared/problems.ts';
import type { LimitList, Readiness, RegionList, VersionList } from '../shared/service/offer.ts';
import { plans } from '../shared/service/plans.ts';
import { SERVICE_VERSION } from '../shared/service/version.ts';
import { machineNow } from './lib/audit-host.ts';
import { cachedRegions, regionRows } from './lib/checks/region-rows.ts';
import { conditionalReply } from './lib/http/conditional.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import type { Reply } from './lib/http/response.ts';
import { log } from './lib/log.ts';
import { currentObstacle } from './lib/readiness.ts';
import { openDb } from './lib/store/dynamodb.ts';
import { type RegionStatus, regionStore } from './lib/store/regions.ts';
import { MAX_URL_LENGTH } from './lib/targets/public-addresses.ts';

/**
 * GET /v1/regions, /v1/audit/versions, /v1/limits, /v1/openapi.json and /health: returns what this deployment offers.
 * GET /ready: says whether it can audit now.
 */
export const handler = http('discover', (env) => {
  const store = regionStore(openDb(env));
  const regions = {
    readRegions: () => store.read(env.REGIONS),
    successWithinMinutes: env.SUCCESS_WITHIN_MINUTES,
    place: env.REGION_PLACE,
  };
  const whetherReady = ready({ ...regions, obstacle: currentObstacle });
  const offer = discover({
    ...regions,
    publicUrl: env.PUBLIC_URL,
    ports: env.TARGET_PORTS,
    allowedTargets: env.TARGETS_ALLOW.map(({ text }) => text),
    retentionDays: env.RETENTION_DAYS,
    trendDays: env.TREND_DAYS,
  });
  return (request) => (request.path === '/ready' ? whetherReady() : offer(request));
});

type Offer = { ports: readonly number[]; allowedTargets: readonly string[]; retentionDays: number; trendDays: number };
type Deps = Offer & {
  readRegions: () => Promise<RegionStatus[]>;
  successWithinMinutes: number | undefined;
  place?: string | undefined;
  publicUrl?: string | undefined;
  now?: () => Date;
};

export const discover = ({
  readRegions,
  successWithinMinutes,
  place,
  publicUrl,
  now = () => new Date(),
  ...own
}: Deps) => {
  const read = cachedRegions(readRegions, now);
  return async (request: Pick<Request, 'path' | 'headers'>): Promise<Reply> => {
    switch (request.path) {
      case '/v1/regions': {
        const body: RegionList = { regions: regionRows(await read(), { successWithinMinutes, place }, now()) };
        return { status: 200, body };
      }
      case '/v1/audit/versions':
        return { status: 200, body: { versions: auditVersions.map(versionRow) } satisfies VersionList };
      case '/v1/limits':
        return { status: 200, body: limits(own, now()) };
      case '/v1/openapi.json': {
        const { openApiDocument } = await import('../shared/openapi/document.ts'); // on first use, because it takes time to load
        return conditionalReply(request, openApiDocument(publicUrl), { finished: true });
      }
      case '/health':
        return { status: 200, body: { status: 'ok', version: SERVICE_VERSION } };
      default:
        throw new ApiProblemError('not-found', 'No route matches this path.');
    }
  };
};

const versionRow = ({ version }: (typeof auditVersions)[number]): VersionList['versions'][number] => ({
  version,
  aliases: aliasesOf(version),
  categories: categoriesIn(version),
  metrics: valueNames.filter((name) => existsIn(name, version)),
});

/** Limits of every check, and of the plans of API keys. */
const limits = ({ ports, allowedTargets, retentionDays, trendDays }: Offer, now: Date): LimitList => ({
  maxBodyBytes: MAX_BODY_BYTES,
  maxUrlLength: MAX_URL_LENGTH,
  maxSamples: MAX_SAMPLES,
  ports: [...ports],
  allowedTargets: [...allowedTargets],
  chromium: machineNow(now).chromium,
  retentionDays,
  trendDays,
  plans,
});

type ReadyDeps = {
  readRegions: () => Promise<RegionStatus[]>;
  successWithinMinutes: number | undefined;
  place?: string | undefined;
  obstacle: () => string | undefined;
  now?: () => Date;
};

/**
 * Answers with the state of each region. Answers 503 with the reason while the table does not respond, while this machine
 * can't audit, or while no region can.
 */
export const ready =
  ({ readRegions, successWithinMinutes, place, obstacle, now = () => new Date() }: ReadyDeps) =>
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
