/** A read that a share token allows too. */
const sharedRead = { method: 'GET', scope: 'checks:read', shared: true } as const;

/** Base of a comparison, and how it is compared. */
export const baseOptions = ['base', 'pool', 'again', 'intended'] as const;

/** Routes that a share link reads. The web page has these alone, because all routes together are too much for it. */
export const shareRoutes = {
  check: { ...sharedRead, path: '/v1/checks/{checkId}', function: 'get-check' },
  comparison: {
    ...sharedRead,
    path: '/v1/checks/{checkId}/comparison',
    function: 'get-comparison',
    query: baseOptions,
  },
  run: { ...sharedRead, path: '/v1/checks/{checkId}/runs/{runId}', function: 'get-run' },
  report: {
    ...sharedRead,
    path: '/v1/checks/{checkId}/runs/{runId}/report',
    function: 'get-report',
    query: ['variant', 'interaction'],
  },
  fixes: { ...sharedRead, path: '/v1/checks/{checkId}/runs/{runId}/fixes', function: 'get-fixes', query: ['variant'] },
  screenshot: {
    ...sharedRead,
    path: '/v1/checks/{checkId}/runs/{runId}/screenshot',
    function: 'get-screenshot',
    query: ['variant'],
  },
  trace: { ...sharedRead, path: '/v1/checks/{checkId}/runs/{runId}/trace', function: 'get-report', query: ['variant'] },
  har: { ...sharedRead, path: '/v1/checks/{checkId}/runs/{runId}/har', function: 'get-report', query: ['variant'] },
  filmstrip: {
    ...sharedRead,
    path: '/v1/checks/{checkId}/runs/{runId}/filmstrip',
    function: 'get-screenshot',
    query: ['variant'],
  },
  waitForCheck: { ...sharedRead, path: '/v1/checks/{checkId}/wait', function: 'wait-check' },
  waitForRun: { ...sharedRead, path: '/v1/checks/{checkId}/runs/{runId}/wait', function: 'wait-check' },
} as const;

/**
 * Returns the parameters of a path that matches the route, still percent-encoded, or undefined if it doesn't match.
 * `URLPattern` is no replacement: it resolves `..` and drops tabs, so it matches paths that don't spell a route.
 */
export const pathParameters = (route: { path: string }, path: string): Record<string, string> | undefined => {
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
