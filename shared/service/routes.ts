import { metricsParameters, parametersOf } from '../list-parameters.ts';
import { pageSpeedParameters } from '../page-speed.ts';
import type { Scope } from './keys.ts';
import { baseOptions, pathParameters, shareRoutes } from './share-routes.ts';

/** Demands of a route on its requests, and the inputs that it accepts. */
export type RouteRules = {
  /** Scope that the API key of a request needs. `public` needs no key. */
  scope: Scope | 'public';
  /** True if a share token in the query may replace the API key. The path has the id of the check. */
  shared?: boolean;
  /** Name of the query parameter that may carry the API key, for clients that send no header. */
  keyParameter?: string;
  /** Names of the query parameters that it accepts; none by default. `any` ignores those that it does not know. */
  query?: readonly string[] | 'any';
  /** Says whether the request has a JSON body; it has none by default. An `upload` is large, and the endpoint parses it. */
  body?: 'required' | 'optional' | 'upload';
  /** True for a route of Lighthouse CI's server, whose clients send the API key in headers of their own. */
  lighthouseCi?: true;
};

type RouteRow = RouteRules & { method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'; path: string; function: string };

const read = { method: 'GET', scope: 'checks:read' } as const;
const webhook = { function: 'webhooks', scope: 'webhooks:write' } as const;
const schedule = { function: 'schedules', scope: 'schedules:write' } as const;
const mark = { function: 'marks', scope: 'checks:write' } as const;
/** A route that publishes a check, or a score of a page. */
const link = { function: 'links', scope: 'checks:write' } as const;
/** A route that takes in reports that were made elsewhere. */
const upload = { function: 'uploads', scope: 'checks:write' } as const;
/** A route of Lighthouse CI's server. */
const lighthouseCi = { ...upload, lighthouseCi: true } as const;
const service = { method: 'GET', scope: 'public' } as const;
/** An address of the web page. The page reads its query. */
const page = { ...service, function: 'web-page', query: 'any' } as const;

/** Routes of the API, and the function behind each. A GET route answers HEAD too. */
export const routes = [
  { method: 'POST', path: '/v1/checks', function: 'create-check', scope: 'checks:write', body: 'required' },
  { ...read, path: '/v1/checks', function: 'list-checks', query: parametersOf('checks') },
  { ...read, path: '/v1/runs', function: 'list-runs', query: parametersOf('runs') },
  { ...read, path: '/v1/pages', function: 'list-pages', query: parametersOf('pages') },
  { ...read, path: '/v1/metrics', function: 'get-metrics', query: metricsParameters },
  shareRoutes.check,
  { method: 'DELETE', path: '/v1/checks/{checkId}', function: 'delete-check', scope: 'checks:write' },
  { ...read, method: 'POST', path: '/v1/checks/{checkId}/assertions', function: 'judge-check', body: 'required' },
  { ...link, method: 'POST', path: '/v1/checks/{checkId}/links', body: 'optional' },
  { ...link, method: 'DELETE', path: '/v1/checks/{checkId}/links' },
  shareRoutes.comparison,
  { ...read, path: '/v1/checks/{checkId}/explanation', function: 'get-explanation', query: baseOptions },
  shareRoutes.run,
  shareRoutes.report,
  shareRoutes.fixes,
  shareRoutes.screenshot,
  shareRoutes.trace,
  shareRoutes.har,
  shareRoutes.filmstrip,
  { ...read, path: '/v1/audit/runs/{runId}', function: 'get-run', query: ['checkId'] },
  {
    ...read,
    path: '/v1/audit/runs/{runId}/report',
    function: 'get-report',
    query: ['checkId', 'variant', 'interaction'],
  },
  shareRoutes.waitForCheck,
  shareRoutes.waitForRun,
  { ...read, path: '/v1/audit/runs/{runId}/wait', function: 'wait-check', query: ['checkId'] },
  { ...webhook, method: 'POST', path: '/v1/webhooks', body: 'required' },
  { ...webhook, method: 'GET', path: '/v1/webhooks' },
  { ...webhook, method: 'GET', path: '/v1/webhooks/{webhookId}' },
  { ...webhook, method: 'DELETE', path: '/v1/webhooks/{webhookId}' },
  { ...webhook, method: 'POST', path: '/v1/webhooks/{webhookId}/rotate' },
  { ...webhook, method: 'POST', path: '/v1/webhooks/{webhookId}/test' },
  { ...webhook, method: 'GET', path: '/v1/webhooks/{webhookId}/deliveries' },
  { ...webhook, method: 'POST', path: '/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver' },
  { ...schedule, method: 'POST', path: '/v1/schedules', body: 'required' },
  { ...schedule, method: 'GET', path: '/v1/schedules' },
  { ...schedule, method: 'GET', path: '/v1/schedules/{scheduleId}' },
  { ...schedule, method: 'PATCH', path: '/v1/schedules/{scheduleId}', body: 'required' },
  { ...schedule, method: 'DELETE', path: '/v1/schedules/{scheduleId}' },
  { ...schedule, method: 'POST', path: '/v1/schedules/{scheduleId}/pause' },
  { ...schedule, method: 'POST', path: '/v1/schedules/{scheduleId}/resume' },
  { ...mark, method: 'POST', path: '/v1/marks', body: 'required' },
  { ...read, path: '/v1/marks', function: 'marks', query: parametersOf('marks') },
  { ...mark, method: 'DELETE', path: '/v1/marks/{markId}' },
  { ...link, method: 'POST', path: '/v1/badges', body: 'required' },
  { ...read, path: '/v1/badges', function: 'links' },
  { ...service, path: '/v1/badges/{badge}', function: 'links', query: 'any' }, // image proxies and shields.io add their own
  { ...link, method: 'DELETE', path: '/v1/badges/{badge}' },
  { ...upload, method: 'POST', path: '/v1/reports', body: 'upload', query: ['url', 'label'] },
  { ...lighthouseCi, method: 'POST', path: '/v1/projects/lookup', scope: 'public', body: 'required' },
  { ...lighthouseCi, method: 'PUT', path: '/v1/projects/{projectId}', body: 'required' },
  { ...lighthouseCi, method: 'POST', path: '/v1/projects/{projectId}/builds', body: 'required' },
  { ...lighthouseCi, method: 'GET', path: '/v1/projects/{projectId}/builds', query: ['branch', 'hash', 'limit'] },
  { ...lighthouseCi, method: 'GET', path: '/v1/projects/{projectId}/builds/{buildId}' },
  { ...lighthouseCi, method: 'GET', path: '/v1/projects/{projectId}/builds/{buildId}/ancestor' },
  { ...lighthouseCi, method: 'POST', path: '/v1/projects/{projectId}/builds/{buildId}/runs', body: 'upload' },
  { ...lighthouseCi, method: 'PUT', path: '/v1/projects/{projectId}/builds/{buildId}/lifecycle', body: 'required' },
  { ...service, path: '/version', function: 'uploads', query: 'any' },
  { ...service, path: '/app/projects/{projectId}/compare/{buildId}', function: 'uploads', query: 'any' },
  { ...read, method: 'POST', path: '/mcp', function: 'mcp', body: 'required' },
  {
    method: 'GET',
    path: '/pagespeedonline/v5/runPagespeed',
    function: 'run-pagespeed',
    scope: 'checks:write',
    keyParameter: 'key',
    query: pageSpeedParameters,
  },
  { ...service, path: '/v1/audit/versions', function: 'discover' },
  { ...service, path: '/v1/regions', function: 'discover' },
  { ...service, path: '/v1/limits', function: 'discover' },
  { ...service, path: '/v1/openapi.json', function: 'discover' },
  { ...service, path: '/sample', function: 'sample-page', query: 'any' },
  { ...service, path: '/docs', function: 'docs', query: 'any' },
  { ...service, path: '/docs/{version}/{file}', function: 'docs', query: 'any' },
  { ...page, path: '/' },
  { ...page, path: '/checks/{checkId}' },
  { ...page, path: '/checks/{checkId}/runs/{runId}' },
  { ...page, path: '/pages' },
  { ...page, path: '/schedules' },
  { ...page, path: '/webhooks' },
  { ...page, path: '/comparisons/{pair}' },
  { ...page, path: '/assets/{version}/{file}' },
  { ...service, path: '/health', function: 'discover', query: 'any' }, // monitors add a time against caches
  { ...service, path: '/ready', function: 'discover', query: 'any' },
] as const satisfies readonly RouteRow[];

/** The rules of requests that match no route, and their function. */
export const defaultRoute = { function: 'web-page', scope: 'public', query: 'any' } as const satisfies RouteRules & {
  function: string;
};

export type Route = (typeof routes)[number];
export type ApiFunction = (Route | typeof defaultRoute)['function'];

type KeyOf<R> = R extends { method: infer Method extends string; path: infer Path extends string }
  ? `${Method} ${Path}`
  : never;
/** Method and path of a route: its name in the OpenAPI document and at API Gateway. */
export type RouteKey = KeyOf<Route>;
export type RouteOf<Key extends RouteKey> = Extract<
  Route,
  Key extends `${infer Method} ${infer Path}` ? { method: Method; path: Path } : never
>;

export const keyOf = ({ method, path }: Route): RouteKey => `${method} ${path}` as RouteKey;

const byKey = new Map<string, Route>(routes.map((route) => [keyOf(route), route]));

/**
 * Returns the key of a route at API Gateway. The route `ANY` of a path has GET and HEAD, the other methods of the same
 * function, and each method that has no route. A stack has too little room for a route for each method. `$default` has the
 * addresses of the web page.
 */
export const gatewayKeyOf = ({ method, path, function: name }: Route): string => {
  if (name === defaultRoute.function) return '$default';
  return `${byKey.get(`GET ${path}`)?.function === name ? 'ANY' : method} ${path}`;
};

/** The routes by their key at API Gateway, without those of `$default`. */
export const byGatewayKey = Map.groupBy(
  routes.filter((route: Route) => route.function !== defaultRoute.function),
  gatewayKeyOf,
);

/** Returns the route of a method with this key of API Gateway. HEAD has that of GET. */
export const routeAt = (routeKey: string, method: string): Route | undefined =>
  byGatewayKey.get(routeKey)?.find((route) => route.method === (method === 'HEAD' ? 'GET' : method));

export const routeOf = <Key extends RouteKey>(key: Key): RouteOf<Key> => byKey.get(key) as RouteOf<Key>;

/**
 * Returns the rules of a method with this key of API Gateway. A method that the path does not support has the rules of GET.
 * Throws if there is no such route.
 */
export const rulesOf = (routeKey: string, method: string): RouteRules => {
  const rules = routeKey === '$default' ? defaultRoute : (routeAt(routeKey, method) ?? routeAt(routeKey, 'GET'));
  if (!rules) throw new Error(`There is no route ${routeKey} in shared/service/routes.ts.`);
  return rules;
};

export const apiFunctions: readonly ApiFunction[] = [
  ...new Set([...routes, defaultRoute].map((each) => each.function)),
];

/** Returns the parameters of a GET or HEAD of an address of the web page, or undefined if the request is another one. */
export const pageParameters = ({
  method,
  path,
}: {
  method: string;
  path: string;
}): Record<string, string> | undefined => {
  if (!['GET', 'HEAD'].includes(method)) return undefined;
  const pages = routes.filter((route) => route.function === defaultRoute.function);
  return pages.map((route) => pathParameters(route, path)).find((parameters) => parameters !== undefined);
};

/** Returns the methods that a path supports. The list is empty if no route matches. */
export const methodsOf = (path: string): string[] => {
  const found = routes.filter((route) => pathParameters(route, path)).map((route) => route.method);
  return [...new Set<string>(found.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
};
