import { cutText, MAX_FINAL_URL_LENGTH } from '../../shared/text.ts';
import { ownerHash } from './owner-hash.ts';

/*
 * Log lines, problem documents and stored runs contain no secrets. This file recognises a secret by its shape, or by the
 * name of its field.
 *
 * Each pattern takes linear time, because a hostile page may send long texts that are slow to match.
 */
const MASK = '[redacted]';

const shapes: [RegExp, string | ((...found: string[]) => string)][] = [
  // API keys of this service. The prefix identifies a key and is no secret.
  [/pas_(?:([0-9a-f]{12})_)?[0-9A-Za-z_-]{16,}/g, (_, which) => (which ? `pas_${which}_${MASK}` : `pas_${MASK}`)],
  // Secrets of webhooks.
  [/whsec_[0-9A-Za-z+/=_-]{8,}/g, `whsec_${MASK}`],
  // Headers: up to the end of the line, the closing quote, or the next URL parameter.
  [/([?&](?:(?:proxy-)?authorization|(?:set-)?cookie)=)[^\s"'&]+/gi, `$1${MASK}`],
  [/(?<![?&])\b((?:proxy-)?authorization|(?:set-)?cookie)(["']?\s{0,5}[:=]\s{0,5}["']?)[^\r\n"']+/gi, `$1$2${MASK}`],
  [/\b((?i:bearer|basic|digest|negotiate))\s+(?=[a-z]{0,50}[0-9A-Z=+/._~-])[0-9A-Za-z=+/._~-]{6,}/g, `$1 ${MASK}`],
  [
    /\b([\w-]{0,40}(?:api[-_]?key|password|passwd|secret|token|signature|credential))(["']?\s{0,5}(?:[:=]|%3a|%3d)\s{0,5}["']?)(?:(?!%26)[^\s"'&;,])+/gi,
    `$1$2${MASK}`,
  ],
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, MASK],
  // User name and password of a URL.
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"'<>]*@/gi, '$1'],
];

const secretNames =
  /^(proxy-)?authorization$|^(set-)?cookies?$|api[-_]?key$|password|passwd|secret|token$|signature$|credentials?$/i;

/** Replaces the secrets in a text. A second call changes nothing. */
export const redactText = (text: string): string =>
  shapes.reduce((clean, [shape, by]) => clean.replace(shape, by as string), text);

/** Replaces the secrets in the URL of a page, and cuts a long one. */
export const redactUrl = (url: string): string => cutText(redactText(url), MAX_FINAL_URL_LENGTH);

/** Returns true if a text contains what looks like an API key of this service. */
export const containsKey = (text: string): boolean => /pas_[0-9a-f]{12}_[0-9a-f]{64}/.test(text);

/** Replaces the secrets in all texts of plain data, and every value whose name marks it as a secret. */
export const redact = <T>(data: T): T => {
  const clean = (value: unknown, name = ''): unknown => {
    if (value !== null && value !== undefined && secretNames.test(name)) return MASK;
    if (typeof value === 'string') return redactText(value);
    if (Array.isArray(value)) return value.map((each) => clean(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [redactText(key), clean(each, key)]));
  };
  return clean(data) as T;
};

const MAX_LOG_CHARACTERS = 8000; // per text in a log line

/** Replaces secrets, and the query and fragment of URLs, which often contain secrets. Cuts long texts. */
export const redactForLog = (text: string): string =>
  redactText(text.length > MAX_LOG_CHARACTERS ? `${text.slice(0, MAX_LOG_CHARACTERS)}… (cut)` : text).replace(
    /\b(https?:\/\/[^\s?#"'<>]*)([?#][^\s"'<>]*)?/gi,
    (_, url: string, rest?: string) => (rest ? `${url}${rest[0]}${MASK}` : url),
  );

/** Returns what the logger writes for a value. An owner is logged as its hash, because its name may be a customer's. */
export const logReplacer = (name: string, value: unknown): unknown => {
  if (name === 'owner' && typeof value === 'string') return ownerHash(value);
  if (value !== null && value !== undefined && secretNames.test(name)) return MASK;
  return typeof value === 'string' ? redactForLog(value) : value;
};
