/** Routes of the API and the function behind each. A GET route answers HEAD too. */
export const routes = [
  { method: 'POST', path: '/v1/checks', function: 'create-check' },
  { method: 'GET', path: '/v1/checks', function: 'list-checks' },
  { method: 'GET', path: '/v1/runs', function: 'list-runs' },
  { method: 'GET', path: '/v1/checks/{checkId}', function: 'get-check' },
  { method: 'DELETE', path: '/v1/checks/{checkId}', function: 'delete-check' },
  { method: 'POST', path: '/v1/checks/{checkId}/links', function: 'create-link' },
  { method: 'DELETE', path: '/v1/checks/{checkId}/links', function: 'delete-links' },
  { method: 'GET', path: '/v1/checks/{checkId}/comparison', function: 'get-comparison' },
  { method: 'GET', path: '/v1/checks/{checkId}/runs/{runId}', function: 'get-run' },
  { method: 'GET', path: '/v1/checks/{checkId}/runs/{runId}/report', function: 'get-report' },
  { method: 'GET', path: '/v1/checks/{checkId}/runs/{runId}/screenshot', function: 'get-screenshot' },
  { method: 'GET', path: '/v1/checks/{checkId}/runs/{runId}/filmstrip', function: 'get-screenshot' },
  { method: 'GET', path: '/v1/audit/runs/{runId}', function: 'get-run' },
  { method: 'GET', path: '/v1/audit/runs/{runId}/report', function: 'get-report' },
  { method: 'GET', path: '/v1/audit/versions', function: 'discover' },
  { method: 'GET', path: '/v1/regions', function: 'discover' },
  { method: 'GET', path: '/v1/limits', function: 'discover' },
  { method: 'GET', path: '/v1/openapi.json', function: 'discover' },
  { method: 'GET', path: '/docs', function: 'docs' },
  { method: 'GET', path: '/docs/{version}/{file}', function: 'docs' },
  { method: 'GET', path: '/', function: 'web-page' },
  { method: 'GET', path: '/checks/{checkId}', function: 'web-page' },
  { method: 'GET', path: '/checks/{checkId}/runs/{runId}', function: 'web-page' },
  { method: 'GET', path: '/pages', function: 'web-page' },
  { method: 'GET', path: '/comparisons/{pair}', function: 'web-page' },
  { method: 'GET', path: '/assets/{version}/{file}', function: 'web-page' },
  { method: 'GET', path: '/health', function: 'discover' },
  { method: 'GET', path: '/ready', function: 'ready' },
] as const satisfies readonly { method: 'GET' | 'POST' | 'DELETE'; path: string; function: string }[];

export type Route = (typeof routes)[number];
export type ApiFunction = Route['function'] | 'no-route';

/** The function that handles requests without a route. */
export const defaultFunction = 'no-route' satisfies ApiFunction;

/** All functions of the API. */
export const apiFunctions: readonly ApiFunction[] = [
  ...new Set(routes.map((route) => route.function)),
  defaultFunction,
];

/**
 * Returns the parameters of a path that matches the route, still percent-encoded, or undefined if it doesn't match.
 * `URLPattern` is no replacement: it resolves `..` and drops tabs, so it matches paths that don't spell a route.
 */
export const pathParameters = (route: Route, path: string): Record<string, string> | undefined => {
  const names = route.path.split('/');
  const values = path.split('/');
  if (names.length !== values.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [i, name] of names.entries()) {
    const value = values[i] as string;
    if (name.startsWith('{') && value !== '') parameters[name.slice(1, -1)] = value;
    else if (name !== value) return undefined;
  }
  return parameters;
};

/** Returns the methods that a path supports. The list is empty if no route matches. */
export const methodsOf = (path: string): string[] => {
  const found = routes.filter((route) => pathParameters(route, path)).map((route) => route.method);
  return [...new Set<string>(found.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
};
