import { aliasesOf, auditVersions } from '../shared/audit-versions.ts';
import { DiscoverEnv } from '../shared/env.ts';
import { ApiProblem } from '../shared/problems.ts';
import { type Region, regions } from '../shared/regions.ts';
import { http, type Request } from './lib/http/endpoint.ts';
import type { Reply } from './lib/http/response.ts';

const env = () => DiscoverEnv.parse(process.env);

/** GET /v1/regions, /v1/audit/versions and /health: returns what this deployment offers. */
export const handler = http({ cors: env }, () => discover({ deployed: env().REGIONS }));

export const discover =
  ({ deployed }: { deployed: readonly Region[] }) =>
  async ({ path }: Pick<Request, 'path'>): Promise<Reply> => {
    switch (path) {
      case '/v1/regions':
        return { status: 200, body: { regions: deployed.map((id) => ({ id, awsRegion: regions[id] })) } };
      case '/v1/audit/versions':
        return { status: 200, body: { versions: auditVersions.map(versionRow) } };
      case '/health':
        return { status: 200, body: { status: 'ok' } };
      default:
        throw new ApiProblem('not-found', 'No route matches this path.');
    }
  };

const versionRow = ({ version, pwa }: (typeof auditVersions)[number]) => ({
  version,
  aliases: aliasesOf(version),
  categories: ['performance', 'accessibility', 'best-practices', 'seo', ...(pwa ? ['pwa'] : [])],
});
