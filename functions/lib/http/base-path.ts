/** Returns the path of PUBLIC_URL, for example `/audit`. It is empty if the service lies at the root of its host. */
export const basePathOf = (publicUrl: string | undefined): string =>
  publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');

/** Returns headers whose addresses of this service lie under the base path. */
export const headersUnder = (base: string, headers: Record<string, string>): Record<string, string> => {
  const { location, link } = headers;
  return {
    ...headers,
    ...(location?.startsWith('/') && { location: base + location }),
    ...(link?.startsWith('</') && { link: `<${base}${link.slice(1)}` }),
  };
};

/** Returns a replacer for JSON.stringify, which puts the relative URLs of each `links` under the base path. */
export const linksUnder = (base: string) => (name: string, value: unknown) => {
  if (name !== 'links' || value === null || typeof value !== 'object') return value;
  const links = Object.entries(value).map(([key, each]) => [key, isPath(each) ? base + each : each]);
  return Object.fromEntries(links);
};

const isPath = (value: unknown): value is string => typeof value === 'string' && value.startsWith('/');
