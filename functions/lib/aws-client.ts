import { AsyncLocalStorage } from 'node:async_hooks';
import type { S3ClientConfig } from '@aws-sdk/client-s3';

/**
 * Returns the SDK's timeouts, in milliseconds, for one try of a request. Without `throwOnRequestTimeout` the SDK logs a
 * warning and goes on waiting.
 */
export const requestTimeouts = (requestTimeout: number) => ({
  connectionTimeout: 1000,
  requestTimeout,
  throwOnRequestTimeout: true,
});

/** Settings that AWS clients of all services share. */
export type ClientSettings = Pick<
  S3ClientConfig,
  'requestHandler' | 'credentials' | 'signer' | 'endpoint' | 'forcePathStyle' | 'logger'
>;
let replaced: (() => ClientSettings) | undefined;

/** Replaces the settings of the AWS clients that are made from now on. On one machine, requests don't leave the process. */
export const replaceClientSettings = (settings: typeof replaced): void => {
  replaced = settings;
};

/** The SDK copies each request and answer for a logger with `info` and `error`, also for its own silent one. */
const silent = { trace: () => {}, debug: () => {}, warn: () => {} } as NonNullable<S3ClientConfig['logger']>;

/** Returns the settings of an AWS client, with the timeout of one try in milliseconds. */
export const clientSettings = (requestTimeout?: number, more: object = {}): ClientSettings => ({
  logger: silent,
  ...(requestTimeout !== undefined && { requestHandler: { ...requestTimeouts(requestTimeout), ...more } }),
  ...replaced?.(),
});

const deadlines = new AsyncLocalStorage<AbortSignal>();

/** Runs some work. When `ms` milliseconds have passed, the AWS calls of this work fail with an `AbortError`. */
export const withDeadline = <T>(ms: number, work: () => T): T =>
  deadlines.run(AbortSignal.timeout(Math.max(0, Math.floor(ms))), work);

type Handler = { handle: (request: never, options?: { abortSignal?: unknown }) => unknown };

const MAX_CALLS_MS = 8000;

/** Returns the time for the AWS calls of a request: 8 s, or 80 % of the function's remaining time. Then it still can answer. */
export const callsEndIn = (remainingMs: number): number => Math.floor(Math.min(MAX_CALLS_MS, 0.8 * remainingMs));

/** Makes each call of an AWS client, with its retries, end at the deadline of the work that it belongs to. */
export const endingAtDeadline = <Client extends { config: { requestHandler: Handler } }>(client: Client): Client => {
  const handler = client.config.requestHandler;
  const handle = handler.handle.bind(handler);
  handler.handle = (request, options) =>
    handle(request, { ...options, abortSignal: options?.abortSignal ?? deadlines.getStore() });
  return client;
};
