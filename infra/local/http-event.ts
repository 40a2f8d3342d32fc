import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type ApiFunction, defaultRoute, gatewayKeyOf, type Route, routes } from '../../shared/service/routes.ts';
import { pathParameters } from '../../shared/service/share-routes.ts';

/**
 * Returns the route that API Gateway would choose: the match with the fewest parameters, which names the method if one
 * does, or `$default`.
 */
export const routeOf = ({ method, url = '/' }: IncomingMessage) => {
  const [, path = '/', query = ''] = /^(?:https?:\/\/[^/?]*)?([^?]*)\??(.*)$/is.exec(url) ?? [];
  const [match] = routes
    .filter((route) => route.method === 'GET' || route.method === method)
    .map((route) => ({ route, parameters: pathParameters(route, path) }))
    .filter(({ parameters }) => parameters)
    .sort((a, b) => rank(a.route, method) - rank(b.route, method));
  const name: ApiFunction = match?.route.function ?? defaultRoute.function;
  const key = match ? gatewayKeyOf(match.route) : '$default';
  const found = key === '$default' ? undefined : match?.parameters;
  const parameters = Object.entries(found ?? {}).map(([parameter, value]) => [parameter, decode(value)]);
  return { name, key, path, query, parameters };
};

/** Rank of a matching route. The route of a GET matches every method. */
const rank = (route: Route, method = ''): number =>
  2 * route.path.split('{').length + (route.method === method ? 0 : 1);

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // the function checks malformed escapes
  }
};

/** Returns the path as API Gateway delivers it: decoded, and cut at the first `?` of the decoded path. */
const deliveredPath = (path: string): string => decode(path).replace(/\?.*$/s, '');

const textTypes = /^\s*(text\/|application\/(json|xml|javascript|x-www-form-urlencoded)\b|[^;]+\+(json|xml)\b)/i;

/** Returns the event of a request, still without its body. */
export const eventOf = (request: IncomingMessage, route: ReturnType<typeof routeOf>): APIGatewayProxyEventV2 => {
  const { method = 'GET', httpVersion, socket } = request;
  const { cookie, ...distinct } = request.headersDistinct;
  const path = deliveredPath(route.path);
  const headers = Object.fromEntries(Object.entries(distinct).map(([name, values]) => [name, values?.join(',')]));
  const [userAgent, sourceIp] = [headers['user-agent'] ?? '', socket.remoteAddress ?? ''];
  const query = new URLSearchParams(route.query);
  const search = [...new Set(query.keys())].map((name) => [name, query.getAll(name).join()]);
  const now = new Date();
  const [, day, month, year, clock] = now.toUTCString().split(' ');
  return {
    version: '2.0',
    routeKey: route.key,
    rawPath: path,
    rawQueryString: route.query,
    ...(cookie && { cookies: cookie.flatMap((header) => header.split(/;\s*/)) }),
    headers,
    ...(route.query && { queryStringParameters: Object.fromEntries(search) }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: headers.host ?? 'localhost',
      domainPrefix: 'local',
      http: { method, path, protocol: `HTTP/${httpVersion}`, sourceIp, userAgent },
      requestId: randomUUID(),
      routeKey: route.key,
      stage: '$default',
      time: `${day}/${month}/${year}:${clock} +0000`,
      timeEpoch: now.getTime(),
    },
    ...(route.parameters.length > 0 && { pathParameters: Object.fromEntries(route.parameters) }),
    isBase64Encoded: false,
  };
};

export const withBody = (event: APIGatewayProxyEventV2, body: Buffer, isUpload: boolean): APIGatewayProxyEventV2 => {
  if (isUpload) return { ...event, bytes: body } as APIGatewayProxyEventV2;
  if (body.length === 0) return event;
  const asText = textTypes.test(event.headers['content-type'] ?? '') && isUtf8(body);
  return { ...event, body: body.toString(asText ? 'utf8' : 'base64'), isBase64Encoded: !asText };
};
