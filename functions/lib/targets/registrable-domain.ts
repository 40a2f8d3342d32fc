import { getDomain } from 'tldts';

/** Returns the registrable domain of a host. Domains of hosting services, such as github.io, count as suffixes. */
export const registrableDomain = (host: string): string | null => getDomain(host, { allowPrivateDomains: true });
