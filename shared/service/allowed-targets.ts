import { z } from 'zod';

/** Hosts that an operator allows although they are not public: one name, all names under a suffix, or a range of addresses. */
export type AllowedTarget = {
  kind: 'host' | 'suffix' | 'range';
  value: string;
  /** The only port of these hosts that the entry allows. Without it, the entry allows the ports of public hosts. */
  port?: number;
  /** The entry as the operator wrote it. */
  text: string;
};

/** A host name. Its last label starts with a letter, because resolvers read names such as 127.1 or 0x7f.1 as addresses. */
export const HOST_NAME = /^(?=.{1,253}$)(?:[a-z0-9_-]{1,63}\.)*[a-z][a-z0-9-]{0,62}$/;
const ENTRY = /^(?:\[(?<inBrackets>[^\]]+)\]|(?<plain>[^[\]:]+))(?::(?<port>[1-9]\d{0,4}))?$/;

const USE =
  'Use names such as intranet.example, suffixes such as *.test, and ranges of addresses such as 10.1.0.0/16 or fd12::/16, separated by commas. A port may follow: *.test:3000, [fd12::/16]:3000.';

/** An entry of TARGETS_ALLOW. */
export const AllowedTarget = z.string().transform((text, context): AllowedTarget => {
  const entry = text.trim().toLowerCase();
  const range = rangeOf(entry); // first, because the end of an IPv6 address looks like a port
  const { inBrackets, plain, port } = (range ? undefined : ENTRY.exec(entry)?.groups) ?? {};
  const found = range ? asRange(range) : inBrackets ? asRange(rangeOf(inBrackets)) : asNameOrRange(plain ?? '');
  if (!found || Number(port ?? 1) > 65_535) {
    context.addIssue(`${USE} "${text}" is neither.`);
    return z.NEVER;
  }
  if (found.value === 'localhost' || found.value.endsWith('.localhost')) {
    context.addIssue(`"${text}" is this machine. TARGETS=local allows its pages.`);
    return z.NEVER;
  }
  return { ...found, ...(port && { port: Number(port) }), text: entry };
});

type Found = Pick<AllowedTarget, 'kind' | 'value'> | undefined;

const asRange = (value: string | undefined): Found => (value === undefined ? undefined : { kind: 'range', value });

const asNameOrRange = (plain: string): Found => {
  const range = rangeOf(plain);
  if (range) return asRange(range);
  const [, wildcard, name = ''] = /^(\*\.)?(.*)$/.exec(plain) ?? [];
  if (/[/?#@\\%\s]/.test(name)) return undefined;
  const value = URL.parse(`http://${name}/`)?.hostname ?? ''; // writes an internationalized name as requests do
  return HOST_NAME.test(value) ? { kind: wildcard ? 'suffix' : 'host', value } : undefined;
};

/** Returns an address or a range in the notation of a range, or undefined. */
const rangeOf = (text: string): string | undefined => {
  if (z.cidrv4().safeParse(text).success || z.cidrv6().safeParse(text).success) return text;
  if (z.ipv4().safeParse(text).success) return `${text}/32`;
  return z.ipv6().safeParse(text).success ? `${text}/128` : undefined;
};
