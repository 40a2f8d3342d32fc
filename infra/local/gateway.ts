import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { inspect } from 'node:util';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { securityHeaders } from '../../functions/lib/http/security-headers.ts';
import { redactForLog } from '../../functions/lib/redact.ts';
import { type ApiFunction, apiFunctions } from '../../shared/routes.ts';
import { apiFunctionSettings, apiSettings } from '../settings.ts';
import { closeServer, keepAccepting } from './close-server.ts';
import { eventOf, routeOf } from './http-event.ts';
import { lambdaContext } from './lambda-context.ts';
import { requestSignals } from './request-signals.ts';

export type Handler = (event: APIGatewayProxyEventV2, context: Context) => unknown;
type Options = {
  port: number;
  host?: string;
  functions: Record<ApiFunction, Handler>;
  timeoutSeconds?: number;
  graceMs?: number | undefined; // time that `close` gives running requests
  pages?: Record<string, string>; // HTML pages by their paths
};

/** Imports the functions of the routes. Call it after setting the environment, because a logger reads it on import. */
export const importApi = async (): Promise<Record<ApiFunction, Handler>> => {
  const modules = await Promise.all(apiFunctions.map((name) => import(`../../functions/${name}.ts`)));
  return Object.fromEntries(apiFunctions.map((name, i) => [name, modules[i].handler])) as Record<ApiFunction, Handler>;
};

/**
 * Starts a local HTTP API like API Gateway's. It sends each request to its function as an event of payload format 2.0.
 */
export const startGateway = async ({ port, host = '127.0.0.1', functions, ...options }: Options) => {
  const signals = requestSignals();
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 1000 },
    async (request, response) => {
      response.on('error', () => {}); // the client disconnected
      const body = await bodyOf(request);
      if (body === 'aborted') return;
      const route = routeOf(request);
      const page = ['GET', 'HEAD'].includes(request.method ?? '') && options.pages?.[route.path];
      if (page) return void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
      if (body === 'too large') return sendResponse(response, jsonMessage(413, 'Request Entity Too Large'));
      const event = eventOf(request, body, route);
      const seconds = options.timeoutSeconds ?? apiFunctionSettings(route.name).timeoutSeconds;
      const context = { ...lambdaContext(route.name, seconds), signal: signals.of(response) };
      sendResponse(response, await invoke(functions[route.name], event, context));
    },
  );
  server.on('clientError', rejectMalformed);
  server.on('checkExpectation', (_, response) => sendResponse(response, jsonMessage(417, 'Expectation Failed')));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const hints: Record<string, string> = {
        EADDRINUSE: `Port ${port} is in use. Set PORT to another one, for example PORT=${port + 1} npm start`,
        EADDRNOTAVAIL: `${host} is not an address of this machine. Set HOST to one of its addresses, or to 0.0.0.0 for all.`,
        ENOTFOUND: `${host} is not an address of this machine. Set HOST to one of its addresses, or to 0.0.0.0 for all.`,
      };
      const hint = hints[error.code ?? ''];
      reject(hint ? new Error(hint) : error);
    });
    server.listen(port, host, resolve);
  });
  keepAccepting(server);
  const actualPort = (server.address() as AddressInfo).port;
  return {
    port: actualPort,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}`,
    /** Ends waits with the present state of their checks, and then closes the server. */
    close: () => {
      signals.abort();
      return closeServer(server, options.graceMs);
    },
  };
};

const bodyOf = async (request: IncomingMessage): Promise<Buffer | 'too large' | 'aborted'> => {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > apiSettings.maxBodyBytes) return 'too large'; // Node discards the rest of the body
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch {
    return 'aborted';
  }
};

type GatewayResponse = APIGatewayProxyStructuredResultV2 & { statusCode: number };

const jsonMessage = (statusCode: number, text: string): GatewayResponse => ({
  statusCode,
  headers: { ...securityHeaders, 'content-type': 'application/json' },
  body: JSON.stringify({ message: text }),
});

/** Answers a malformed or slow request with 400, 408 or 431 if possible, then closes the connection. */
const rejectMalformed = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  const status = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code ?? ''] ?? 400;
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const headers = Object.entries({ ...securityHeaders, connection: 'close', 'content-length': '0' });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n`, () => socket.destroy());
};

/** Logs the error of a function. Returns API Gateway's answer, which contains nothing of the error. */
const internalError = (error: unknown): GatewayResponse => {
  console.error(redactForLog(inspect(error)));
  return jsonMessage(500, 'Internal Server Error');
};

/** Returns the function's answer, or API Gateway's own answer after the timeout. */
const invoke = async (handler: Handler, event: APIGatewayProxyEventV2, context: Context): Promise<GatewayResponse> => {
  const result = (async () => (await handler(event, context)) as GatewayResponse)().catch(internalError);
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<GatewayResponse>((resolve) => {
    timer = setTimeout(() => resolve(jsonMessage(503, 'Service Unavailable')), context.getRemainingTimeInMillis());
  });
  return await Promise.race([result, timeout]).finally(() => clearTimeout(timer));
};

const sendResponse = (response: ServerResponse, result: GatewayResponse): void => {
  try {
    const { statusCode, headers = {}, cookies, body = '', isBase64Encoded } = result;
    const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
    response.statusCode = statusCode;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, String(value));
    if (cookies) response.setHeader('set-cookie', cookies);
    if (bytes.length > 0) response.setHeader('content-length', bytes.length);
    response.end(bytes); // Node omits the body for HEAD
  } catch (error) {
    for (const name of response.getHeaderNames()) response.removeHeader(name); // Node has sent nothing yet
    sendResponse(response, internalError(error));
  }
};
