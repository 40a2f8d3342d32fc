import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { Client } from '../clients/api/client.ts';
import { mcpServer } from '../clients/mcp/server.ts';
import { ApiProblemError } from '../shared/problems.ts';
import type { McpEnv } from '../shared/service/env.ts';
import { SERVICE_VERSION } from '../shared/service/version.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { originOf } from './lib/http/origin.ts';
import type { Reply } from './lib/http/response.ts';

/** Time in which the tools answer, in milliseconds. With the start of a new instance, an answer comes within 25 s. */
const ANSWER_MS = 22_000;
/** Time in which a failed request is retried, in milliseconds. A later retry of a wait would end too late. */
const RETRY_MS = 2000;
/** Time of the last reading, which a wait for a check leaves, in milliseconds. */
const LAST_MS = 3000;

/**
 * POST /mcp: answers one message of an agent by the tools of clients/mcp, without a session. The tools use the API of this
 * service with the key of the request, so the key's scopes and limits hold.
 */
export const handler = http('mcp', (env) => mcp(env));

type Deps = Pick<McpEnv, 'API_URL' | 'PUBLIC_URL' | 'CORS_ORIGINS'> & { answerMs?: number };

export const mcp = ({ API_URL: url, PUBLIC_URL: publicUrl, CORS_ORIGINS, answerMs = ANSWER_MS }: Deps) => {
  const origins = [...CORS_ORIGINS, ...[url, publicUrl].flatMap((each) => (each ? [new URL(each).origin] : []))];
  return async (request: Request): Promise<Reply> => {
    requireKnownOrigin(request.headers.origin, origins);
    requireOneMessage(request.body);
    const start = performance.now();
    using late = abortAfter(answerMs);
    const signal = AbortSignal.any([late.signal, request.signal].filter((each) => each !== undefined));
    const client = new Client({ url, key: keyOf(request), signal, retryUntil: start + RETRY_MS });
    const serve = () =>
      mcpServer({
        version: SERVICE_VERSION,
        connect: async () => client,
        site: publicUrl ?? originOf(request),
        steps,
        waitUntil: start + answerMs - LAST_MS,
      });
    return replyOf(await answered(serve, messageOf(request, url), request.body));
  };
};

/** Answers a message of the protocol of 2026, or of an earlier one. Both answer as JSON, because API Gateway can't stream. */
const answered = async (
  serve: () => McpServer,
  message: globalThis.Request,
  parsedBody: unknown,
): Promise<Response> => {
  if (!(await isLegacyRequest(message, parsedBody))) {
    const handler = createMcpHandler(serve, { responseMode: 'json', legacy: 'reject' });
    return handler.fetch(message, { parsedBody }).finally(handler.close);
  }
  const server = serve();
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  return transport.handleRequest(message, { parsedBody }).finally(() => server.close());
};

const steps = {
  unreachable: 'A part of the service did not answer. Call the tool again.',
  notOurs: 'A part of the service did not answer. Call the tool again.',
  unauthorized: 'Send a valid API key as bearer token.',
  hidesServer: true,
};

/** A page of another site that a browser of this network shows must not use the service (DNS rebinding). */
const requireKnownOrigin = (origin: string | undefined, known: readonly string[]): void => {
  if (origin === undefined || known.includes('*') || known.includes(origin)) return;
  throw new ApiProblemError(
    'forbidden',
    'The Origin of this request is not allowed. Send it from an agent, or from a page of an origin in CORS_ORIGINS.',
  );
};

const requireOneMessage = (body: unknown): void => {
  if (body !== null && typeof body === 'object' && !Array.isArray(body)) return;
  throw new ApiProblemError('invalid-request', 'The body must be one JSON-RPC message. Send each in its own request.');
};

const keyOf = ({ headers }: Request): string | undefined => /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];

/** Returns the request without its key, which the protocol does not need. */
const messageOf = ({ headers }: Request, url: string): globalThis.Request => {
  const named = Object.entries(headers).filter(
    (header): header is [string, string] => header[1] !== undefined && /^(accept|content-type|mcp-.*)$/.test(header[0]),
  );
  const { accept } = headers;
  // The SDK wants both types, although the service answers as JSON only. Agents send `*/*`, JSON alone, or none.
  const acceptsJson = accept === undefined || /\*\/\*|application\/(\*|json)/i.test(accept);
  const sent = new Headers(named);
  if (acceptsJson) sent.set('accept', 'application/json, text/event-stream');
  return new globalThis.Request(`${url}/mcp`, { method: 'POST', headers: sent });
};

const replyOf = async (response: Response): Promise<Reply> => {
  const text = await response.text();
  return { status: response.status, ...(text && { body: JSON.parse(text) }) };
};

/** Returns a signal that aborts with a reason for the agent, and that ends with its scope. */
const abortAfter = (ms: number) => {
  const controller = new AbortController();
  const reason = new Error(`The service did not answer within ${ms / 1000} s. Call the tool again.`);
  const timer = setTimeout(() => controller.abort(reason), ms);
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
};
