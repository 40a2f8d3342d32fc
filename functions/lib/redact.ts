/*
 * What may not be told, by one rule: in log lines (log.ts has every line pass here), in problem documents, and in what is
 * stored of a run. A secret is known by its shape, or by the name that it stands under.
 *
 * Each pattern is linear: what a page says may be long, and made to be slow.
 */
const MASK = '[redacted]';

const shapes: [RegExp, string | ((...found: string[]) => string)][] = [
  // Our own keys; the first part says which, and is no secret.
  [/pas_(?:([0-9a-f]{12})_)?[0-9A-Za-z_-]{16,}/g, (_, which) => (which ? `pas_${which}_${MASK}` : `pas_${MASK}`)],
  // Headers to the end of the line; JSON and quotes end earlier, and so do the parameters of a URL.
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

/** A text without its secrets. Redacted once is redacted for good: the same again changes nothing. */
export const redactText = (text: string): string =>
  shapes.reduce((clean, [shape, by]) => clean.replace(shape, by as string), text);

/** Whether a text holds what looks like one of our own keys. */
export const containsKey = (text: string): boolean => /pas_[0-9a-f]{12}_[0-9a-f]{64}/.test(text);

/** Plain data with every text in it without secrets, and with none under a name that says it is one. */
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

const MAX_LOG_CHARACTERS = 8000; // characters of one text in a log line

/** A text as a log may have it: without secrets, and of URLs neither query nor fragment, in which people put them too. */
export const redactForLog = (text: string): string =>
  redactText(text.length > MAX_LOG_CHARACTERS ? `${text.slice(0, MAX_LOG_CHARACTERS)}… (cut)` : text).replace(
    /\b(https?:\/\/[^\s?#"'<>]*)([?#][^\s"'<>]*)?/gi,
    (_, url: string, rest?: string) => (rest ? `${url}${rest[0]}${MASK}` : url),
  );

/** What the logger writes in the place of a value. */
export const logReplacer = (name: string, value: unknown): unknown => {
  if (value !== null && value !== undefined && secretNames.test(name)) return MASK;
  return typeof value === 'string' ? redactForLog(value) : value;
};
