import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type ApiFunction, defaultFunction, pathParameters, routes } from '../../shared/routes.ts';

/** What API Gateway picks: the route of this method with the fewest parameters, else the default one. */
export const routeOf = ({ method, url = '/' }: IncomingMessage) => {
  const [, path = '/', query = ''] = /^(?:https?:\/\/[^/?]*)?([^?]*)\??(.*)$/is.exec(url) ?? [];
  const [found] = routes
    .filter((route) => route.method === (method === 'HEAD' ? 'GET' : method))
    .map((route) => ({ route, parameters: pathParameters(route, path) }))
    .filter(({ parameters }) => parameters)
    .sort((a, b) => a.route.path.split('{').length - b.route.path.split('{').length);
  const name: ApiFunction = found?.route.function ?? defaultFunction;
  const parameters = Object.entries(found?.parameters ?? {}).map(([key, value]) => [key, decoded(value)]);
  return { name, key: found ? `${method} ${found.route.path}` : '$default', path, query, parameters };
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a malformed escape is the function's to judge
  }
};

const textTypes = /^\s*(text\/|application\/(json|xml|javascript|x-www-form-urlencoded)\b|[^;]+\+(json|xml)\b)/i;

export const eventOf = (
  request: IncomingMessage,
  body: Buffer,
  to: ReturnType<typeof routeOf>,
): APIGatewayProxyEventV2 => {
  const { method = 'GET', httpVersion, socket } = request;
  const { cookie, ...distinct } = request.headersDistinct;
  const headers = Object.fromEntries(Object.entries(distinct).map(([name, values]) => [name, values?.join(',')]));
  const [userAgent, sourceIp] = [headers['user-agent'] ?? '', socket.remoteAddress ?? ''];
  const asked = new URLSearchParams(to.query);
  const search = [...new Set(asked.keys())].map((name) => [name, asked.getAll(name).join()]);
  const asText = textTypes.test(headers['content-type'] ?? '') && Buffer.from(body.toString()).equals(body);
  const now = new Date();
  const [, day, month, year, clock] = now.toUTCString().split(' ');
  return {
    version: '2.0',
    routeKey: to.key,
    rawPath: to.path,
    rawQueryString: to.query,
    ...(cookie && { cookies: cookie.flatMap((header) => header.split(/;\s*/)) }),
    headers,
    ...(to.query && { queryStringParameters: Object.fromEntries(search) }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: headers.host ?? 'localhost',
      domainPrefix: 'local',
      http: { method, path: to.path, protocol: `HTTP/${httpVersion}`, sourceIp, userAgent },
      requestId: randomUUID(),
      routeKey: to.key,
      stage: '$default',
      time: `${day}/${month}/${year}:${clock} +0000`,
      timeEpoch: now.getTime(),
    },
    ...(to.parameters.length > 0 && { pathParameters: Object.fromEntries(to.parameters) }),
    ...(body.length > 0 && { body: body.toString(asText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !asText,
  };
};
