/**
 * How long AWS may take to begin an answer, in milliseconds, before the SDK asks again. All its tries fit into the 10 s that an
 * API function has. Without `throwOnRequestTimeout` the SDK would warn, and wait on.
 */
export const requestTimeouts = (requestTimeout: number) => ({
  connectionTimeout: 1000,
  requestTimeout,
  throwOnRequestTimeout: true,
});
