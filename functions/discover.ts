import { categoriesIn, MAX_SAMPLES } from '../shared/audit-options.ts';
import { aliasesOf, auditVersions } from '../shared/audit-versions.ts';
import { MAX_BODY_BYTES } from '../shared/check.ts';
import type { LimitList, RegionList, VersionList } from '../shared/offer.ts';
import { existsIn, valueNames } from '../shared/page-metrics.ts';
import { plans } from '../shared/plans.ts';
import { ApiProblemError } from '../shared/problems.ts';
import { type Region, regions } from '../shared/regions.ts';
import { conditionalReply } from './lib/http/conditional.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import type { Reply } from './lib/http/response.ts';
import { MAX_URL_LENGTH } from './lib/public-addresses.ts';

/** GET /v1/regions, /v1/audit/versions, /v1/limits, /v1/openapi.json and /health: returns what this deployment offers. */
export const handler = http('discover', (env) =>
  discover({
    deployed: env.REGIONS,
    ports: env.TARGET_PORTS,
    retentionDays: env.RETENTION_DAYS,
    trendDays: env.TREND_DAYS,
  }),
);

type Deps = { deployed: readonly Region[]; ports: readonly number[]; retentionDays: number; trendDays: number };

export const discover =
  ({ deployed, ...own }: Deps) =>
  async (request: Pick<Request, 'path' | 'headers'>): Promise<Reply> => {
    switch (request.path) {
      case '/v1/regions':
        return {
          status: 200,
          body: { regions: deployed.map((id) => ({ id, awsRegion: regions[id] })) } satisfies RegionList,
        };
      case '/v1/audit/versions':
        return { status: 200, body: { versions: auditVersions.map(versionRow) } satisfies VersionList };
      case '/v1/limits':
        return { status: 200, body: limits(own) };
      case '/v1/openapi.json': {
        const { openApiDocument } = await import('../shared/openapi/document.ts'); // on first use, because it takes time to load
        return conditionalReply(request, openApiDocument(), { finished: true });
      }
      case '/health':
        return { status: 200, body: { status: 'ok' } };
      default:
        throw new ApiProblemError('not-found', 'No route matches this path.');
    }
  };

const versionRow = ({ version }: (typeof auditVersions)[number]): VersionList['versions'][number] => ({
  version,
  aliases: aliasesOf(version),
  categories: categoriesIn(version),
  metrics: valueNames.filter((name) => existsIn(name, version)),
});

/** Limits of every check, and of the plans of API keys. */
const limits = ({ ports, retentionDays, trendDays }: Omit<Deps, 'deployed'>): LimitList => ({
  maxBodyBytes: MAX_BODY_BYTES,
  maxUrlLength: MAX_URL_LENGTH,
  maxSamples: MAX_SAMPLES,
  ports: [...ports],
  retentionDays,
  trendDays,
  plans,
});
