import { methodsOf } from '../../../shared/routes.ts';

type Asked = { method: string; path: string; headers: Record<string, string | undefined> };

/**
 * What lets pages of these origins read an answer; `*` stands for every origin. None by default: a key belongs on a server.
 * No cookies are taken here, so none are let through.
 */
export const corsHeaders = (origins: readonly string[], { method, path, headers }: Asked): Record<string, string> => {
  if (origins.length === 0) return {};
  const { origin = '', 'access-control-request-method': preflightOf } = headers;
  const every = origins.includes('*');
  if (!every && !origins.includes(origin)) return { vary: 'Origin' };
  return {
    'access-control-allow-origin': every ? '*' : origin,
    ...(!every && { vary: 'Origin' }),
    ...(method === 'OPTIONS' && preflightOf
      ? {
          'access-control-allow-methods': methodsOf(path).join(', '),
          'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, If-None-Match',
          'access-control-max-age': '600',
        }
      : { 'access-control-expose-headers': '*' }),
  };
};
