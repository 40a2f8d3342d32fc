const VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];

/** Says that audits use no proxy. */
export const unusedProxyText = (name: string): string =>
  `Audits don't use the proxy of ${name}. They audit pages that this machine reaches directly.`;

/** Returns the variable that names a proxy which Node.js does not use, or undefined. */
export const unusedProxy = (env: Readonly<Record<string, string | undefined>>): string | undefined =>
  env.NODE_USE_ENV_PROXY === '1' ? undefined : VARIABLES.find((name) => env[name]);
