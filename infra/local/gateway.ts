import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { inspect } from 'node:util';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { commonHeaders } from '../../functions/lib/http/security-headers.ts';
import { redactForLog } from '../../functions/lib/redact.ts';
import { MAX_BODY_BYTES } from '../../shared/check.ts';
import type { FunctionRow } from '../../shared/service/function-row.ts';
import { functionRows } from '../../shared/service/functions.ts';
import { type ApiFunction, apiFunctions, rulesOf } from '../../shared/service/routes.ts';
import { MAX_UPLOAD_BYTES } from '../../shared/uploads.ts';
import { BODY_MS, bodyRoom, WAIT_MS } from './body-room.ts';
import { closeServer, keepAccepting } from './close-server.ts';
import { type ConnectionLimits, limitConnections } from './connections.ts';
import { eventOf, routeOf, withBody } from './http-event.ts';
import { lambdaContext } from './lambda-context.ts';

type Invoke = (event: APIGatewayProxyEventV2, context: Context) => unknown;
/** `admit` returns the answer to a request that the function refuses by its headers alone. */
export type Handler = Invoke & { admit?: Invoke };
type Options = {
  port: number;
  host?: string;
  functions: Record<ApiFunction, Handler>;
  timeoutSeconds?: number;
  graceMs?: number | undefined; // time that `close` gives running requests
  limits?: ConnectionLimits;
  /** Returns the status with which the gateway itself refuses a request, as API Gateway's throttle or Lambda's concurrency do. */
  refuses?: (routeKey: string) => 403 | 429 | 503 | undefined;
};

/** Imports the functions of the routes. Call it after setting the environment, because a logger reads it on import. */
export const importApi = async (): Promise<Record<ApiFunction, Handler>> => {
  const modules = await Promise.all(apiFunctions.map((name) => import(`../../functions/${name}.ts`)));
  return Object.fromEntries(apiFunctions.map((name, i) => [name, modules[i].handler])) as Record<ApiFunction, Handler>;
};

const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 10_000 + WAIT_MS + BODY_MS,
  connectionsCheckingInterval: 1000,
};

/**
 * Starts a local HTTP API like API Gateway's. It sends each request to its function as an event of payload format 2.0.
 */
export const startGateway = async ({ port, host = '127.0.0.1', functions, ...options }: Options) => {
  const closing = new AbortController();
  const server = createServer(timeouts);
  const connections = limitConnections(server, options.limits);
  const bytesOf = sharedFiles();
  const room = bodyRoom();

  const answerOf = async (request: IncomingMessage, response: ServerResponse): Promise<GatewayResponse | undefined> => {
    const route = routeOf(request);
    const refused = options.refuses?.(route.key);
    if (refused) return jsonMessage(refused, `${STATUS_CODES[refused]}`);
    const handler = functions[route.name];
    const row: FunctionRow = functionRows[route.name];
    const seconds = options.timeoutSeconds ?? row.localTimeoutSeconds ?? row.timeoutSeconds;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const signal = AbortSignal.any([closing.signal, gone.signal]); // lets a wait answer at once
    const context = () => ({ ...lambdaContext(route.name, seconds), signal }); // a function has its time from its call
    const event = eventOf(request, route);
    if (!hasBody(request)) return invoke(handler, event, context());
    const refusal = handler.admit && (await invoke(handler.admit, event, context()));
    if (refusal) return refusal; // before the body, so that nobody without a key can send one
    const isUpload = takesUpload(route.key, request.method);
    const most = isUpload ? MAX_UPLOAD_BYTES : MAX_BODY_BYTES;
    const leave = await room.take(bytesIn(request, most), ownerOf(event));
    if (!leave) return noRoom();
    if (request.headers.expect) response.writeContinue();
    const body = await bodyOf(request, most);
    return Promise.resolve(body && invoke(handler, withBody(event, body, isUpload), context())).finally(leave);
  };

  const send = (request: IncomingMessage, response: ServerResponse, answer: GatewayResponse | undefined): void =>
    connections.expectReceipt(request, response, sendResponse(response, answer, bytesOf));
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on('error', () => {}); // the client disconnected
    if (!(await connections.turn(request, response))) return;
    const answer = await answerOf(request, response);
    if (!request.socket.destroyed) send(request, response, answer);
  };
  const serveSafely = (request: IncomingMessage, response: ServerResponse): void => {
    serve(request, response).catch((error) => send(request, response, internalError(error)));
  };
  server.on('request', serveSafely);
  server.on('checkContinue', serveSafely); // the client sends its body when it is admitted
  server.on('clientError', rejectMalformed);
  server.on('checkExpectation', (request, response) => send(request, response, jsonMessage(417, 'Expectation Failed')));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const hints: Record<string, string> = {
        EADDRINUSE: `Port ${port} is in use. Set PORT to another one, for example PORT=${port + 1}.`,
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
      closing.abort();
      return closeServer(server, options.graceMs);
    },
  };
};

/** Returns how many bytes a body may have. A body in chunks doesn't say it. */
const bytesIn = ({ headers }: IncomingMessage, most: number): number =>
  Math.min(Number(headers['content-length'] ?? most), most);

/** Returns the owner whom `admit` has noted, as an authorizer of API Gateway would. */
const ownerOf = ({ requestContext }: APIGatewayProxyEventV2): string | undefined =>
  (requestContext as { authorizer?: { lambda: { owner?: string } } }).authorizer?.lambda.owner;

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const takesUpload = (routeKey: string, method = 'GET'): boolean => rulesOf(routeKey, method).body === 'upload';

/**
 * Returns the body, or undefined if the client disconnects. Reads at most one byte more than a function accepts, so that the
 * function refuses the body.
 */
const bodyOf = async (request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> => {
  const body = Buffer.allocUnsafeSlow(bytesIn(request, maxBytes + 1)); // a copy of the whole would hold the process
  let size = 0;
  const slow = setTimeout(() => request.destroy(), BODY_MS);
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.copy(body, size);
      if (size > maxBytes) break;
    }
    return body.subarray(0, size);
  } catch {
    return undefined;
  } finally {
    clearTimeout(slow);
  }
};

/** Returns a function that returns the bytes of an answer. Answers with the same immutable file share its bytes. */
const sharedFiles = () => {
  const files = new Map<string, Buffer>();
  return ({ headers = {}, body = '', isBase64Encoded }: GatewayResponse): Buffer => {
    const { etag, 'cache-control': caching } = headers;
    const tag = etag && String(caching).includes('immutable') && body !== '' ? String(etag) : undefined;
    const bytes = (tag && files.get(tag)) || Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
    if (tag) files.set(tag, bytes);
    return bytes;
  };
};

type GatewayResponse = APIGatewayProxyStructuredResultV2 & { statusCode: number };

const jsonMessage = (statusCode: number, text: string): GatewayResponse => ({
  statusCode,
  headers: { ...commonHeaders, 'content-type': 'application/json' },
  body: JSON.stringify({ message: text }),
});

/** Answers a body for which there was no room in time. */
const noRoom = (): GatewayResponse => {
  const title = 'The service is temporarily unavailable';
  const detail = 'Too many large bodies are being received. Send this one again in 5 s.';
  const problem = { type: 'urn:page-audit:problem:unavailable', title, status: 503, detail, code: 'unavailable' };
  const headers = { ...commonHeaders, 'content-type': 'application/problem+json', 'retry-after': '5' };
  return { statusCode: 503, headers, body: JSON.stringify({ ...problem, requestId: randomUUID() }) };
};

/** Answers a malformed or slow request with 400, 408 or 431 if possible, then closes the connection. */
const rejectMalformed = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  const status = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code ?? ''] ?? 400;
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const headers = Object.entries({ ...commonHeaders, connection: 'close', 'content-length': '0' });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n`, () => socket.destroy());
};

/** Logs the error of a function. Returns API Gateway's answer, which contains nothing of the error. */
const internalError = (error: unknown): GatewayResponse => {
  console.error(redactForLog(inspect(error)));
  return jsonMessage(500, 'Internal Server Error');
};

/** Returns the answer of a function, or API Gateway's own answer after the timeout. */
const invoke = async (
  invoked: Invoke,
  event: APIGatewayProxyEventV2,
  context: Context,
): Promise<GatewayResponse | undefined> => {
  const result = (async () => (await invoked(event, context)) as GatewayResponse | undefined)().catch(internalError);
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<GatewayResponse>((resolve) => {
    timer = setTimeout(() => resolve(jsonMessage(503, 'Service Unavailable')), context.getRemainingTimeInMillis());
  });
  return await Promise.race([result, timeout]).finally(() => clearTimeout(timer));
};

/** Sends an answer. Returns the size of its body. */
const sendResponse = (
  response: ServerResponse,
  result: GatewayResponse | undefined,
  bytesOf: (answer: GatewayResponse) => Buffer,
): number => {
  try {
    const { statusCode, headers = {}, cookies } = result as GatewayResponse;
    const bytes = bytesOf(result as GatewayResponse);
    response.statusCode = statusCode;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, String(value));
    if (cookies) response.setHeader('set-cookie', cookies);
    if (bytes.length > 0) response.setHeader('content-length', bytes.length);
    response.end(bytes); // Node omits the body for HEAD
    return bytes.length;
  } catch (error) {
    for (const name of response.getHeaderNames()) response.removeHeader(name); // Node has sent nothing yet
    return sendResponse(response, internalError(error), bytesOf);
  }
};
