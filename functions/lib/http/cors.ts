import { methodsOf } from '../../../shared/service/routes.ts';

type CorsRequest = { method: string; path: string; headers: Record<string, string | undefined> };

/**
 * Returns the CORS headers that let pages of these origins read a response. `*` allows every origin.
 * The API takes no cookies, so it never allows credentials.
 */
export const corsHeaders = (
  origins: readonly string[],
  { method, path, headers }: CorsRequest,
): Record<string, string> => {
  if (origins.length === 0) return {};
  const { origin = '', 'access-control-request-method': requestedMethod } = headers;
  const anyOrigin = origins.includes('*');
  if (!anyOrigin && !origins.includes(origin)) return { vary: 'Origin' };
  return {
    'access-control-allow-origin': anyOrigin ? '*' : origin,
    ...(!anyOrigin && { vary: 'Origin' }),
    ...(method === 'OPTIONS' && requestedMethod
      ? {
          'access-control-allow-methods': methodsOf(path).join(', '),
          'access-control-allow-headers':
            'Authorization, Content-Type, Idempotency-Key, If-None-Match, Mcp-Protocol-Version, Prefer, X-Goog-Api-Key',
          'access-control-max-age': '600',
        }
      : { 'access-control-expose-headers': '*' }),
  };
};
