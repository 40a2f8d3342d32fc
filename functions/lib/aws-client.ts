/**
 * Returns the SDK's timeouts, in milliseconds, for one try of a request. All tries must fit into the 10 s of an API function.
 * Without `throwOnRequestTimeout` the SDK logs a warning and goes on waiting.
 */
export const requestTimeouts = (requestTimeout: number) => ({
  connectionTimeout: 1000,
  requestTimeout,
  throwOnRequestTimeout: true,
});
