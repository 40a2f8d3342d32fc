import type { EventParts, Explanation, RequestChange, RequestList } from '../../shared/explanation/schema.ts';
import { bytesText, pointsText, shiftText, timeText, typeText } from '../../shared/explanation/words.ts';
import { counted, labels, metrics, textOrDash } from './numbers.ts';

/** A list of an explanation: each entry is a text on one line, which may quote the page. */
export type Section = { title: string; entries: readonly string[] };

/** Returns the facts of an explanation as lists. A list without entries is left out. */
export const sectionsOf = (explanation: Explanation): Section[] => {
  const { points, mainThread, layoutShifts, audits, elements, caching, omitted } = explanation;
  const list = (title: string, name: string, entries: readonly string[]): Section => {
    const more = omitted[name] ?? 0;
    return { title, entries: more > 0 ? [...entries, `and ${more} more`] : entries };
  };
  return [
    list('Points', 'points', points.flatMap(pointsEntry)),
    ...requestTitles.map(([name, title]) =>
      list(title, `requests.${name}`, explanation.requests[name].map(requestEntry)),
    ),
    list(
      'Main thread',
      'mainThread',
      mainThread.map(({ url, baseMs, ms }) => `${url}: ${between(baseMs, ms, timeText, 'less than 50 ms')}`),
    ),
    list('LCP element', 'lcpElement', lcpEntries(explanation)),
    list(
      'Layout shifts',
      'layoutShifts',
      layoutShifts.map(
        ({ base, value, ...element }) => `${elementText(element)}: ${between(base, value, shiftText, '0')}`,
      ),
    ),
    list('Document', 'document', documentEntries(explanation)),
    list(
      'Cache lifetimes',
      'caching',
      caching.map(({ url, baseSeconds, seconds }) => `${url}: ${between(baseSeconds, seconds, secondsText, 'long')}`),
    ),
    list(
      'Interactions',
      'interactions',
      interactionParts(explanation).map(({ what, before, after, name }) => `${name}: ${what}: ${before} → ${after}`),
    ),
    list(
      'Audits',
      'audits',
      audits.map(
        ({ title, outcome, category }) => `${category}: “${title}” ${outcome === 'failed' ? 'fails' : 'passes'} now`,
      ),
    ),
    list(
      'Findings',
      'elements',
      elements.map((each) => `${each.change}: ${elementText(each)} (“${each.title}”)`),
    ),
  ].filter(({ entries }) => entries.length > 0);
};

const requestTitles: readonly (readonly [RequestList, string])[] = [
  ['added', 'New requests'],
  ['gone', 'Requests that are gone'],
  ['larger', 'Larger requests'],
  ['smaller', 'Smaller requests'],
  ['slower', 'Slower requests'],
  ['faster', 'Faster requests'],
];

/** Returns the longest event of each interaction that changed, and its scripts, with their times on both sides. */
export const interactionParts = ({ interactions }: Explanation) =>
  (interactions ?? []).flatMap(({ name, event, scripts }) => {
    const { type, selector } = event.value ?? event.base ?? { type: 'event', selector: null };
    const rows = [
      { what: selector ? `${type} on ${selector}` : type, ...event },
      ...scripts.map(({ url, function: called, base, value }) => ({
        what: [called && `${called}()`, url].filter(Boolean).join(' in '),
        ...{ base, value },
      })),
    ];
    return rows.map(({ what, base, value }) => ({ name, what, before: partsText(base), after: partsText(value) }));
  });

/** Returns the parts of the time of an event that are not 0. */
const partsText = (parts: EventParts | null): string => {
  if (!parts) return 'none';
  const { inputDelayMs: before, processingMs: during, presentationMs: after } = parts;
  const shown = [
    before > 0 && `${timeText(before)} before`,
    during > 0 && `${timeText(during)} in`,
    after > 0 && `${timeText(after)} after`,
  ].filter(Boolean);
  return shown.length > 0 ? `${shown.join(', ')} the handlers` : timeText(0);
};

const between = <T>(base: T | null, value: T | null, text: (value: T) => string, missing: string): string =>
  `${base === null ? missing : text(base)} → ${value === null ? missing : text(value)}`;

const secondsText = (seconds: number): string => (seconds === 0 ? 'none' : counted(seconds, 'second'));

const pointsEntry = ({ metric, base, value, points, verdict }: Explanation['points'][number]): string[] => {
  const name = metrics.find((each) => each === metric);
  const gained = pointsText(points);
  if (!name || !gained) return [];
  const doubt = verdict === 'unknown' ? ', no clear change' : '';
  return [`${labels[name]} ${gained} (${textOrDash(name, base)} → ${textOrDash(name, value)}${doubt})`];
};

const requestEntry = ({ url, type, thirdParty, blocking, baseBytes, bytes, baseMs, ms }: RequestChange): string => {
  const facts = [
    ...(baseBytes === bytes ? [] : [sizes(baseBytes, bytes)]),
    ...(baseMs !== null && ms !== null && baseMs !== ms ? [between(baseMs, ms, timeText, '–')] : []),
    ...(thirdParty ? ['third party'] : []),
    ...(blocking ? ['blocks the first paint'] : []),
  ];
  return `${typeText(type)} ${url} (${facts.join(', ')})`;
};

const sizes = (baseBytes: number | null, bytes: number | null): string =>
  baseBytes === null || bytes === null ? bytesText(bytes ?? baseBytes ?? 0) : between(baseBytes, bytes, bytesText, '–');

const lcpEntries = ({ lcpElement }: Explanation): string[] =>
  lcpElement?.changed ? [`${elementText(lcpElement.base)} → ${elementText(lcpElement.value)}`] : [];

const documentEntries = ({ document: { redirects, serverResponseMs } }: Explanation): string[] => [
  ...(redirects.base === redirects.value ? [] : [`redirects: ${redirects.base ?? '–'} → ${redirects.value ?? '–'}`]),
  ...(isOther(serverResponseMs)
    ? [`server response: ${between(serverResponseMs.base, serverResponseMs.value, timeText, '–')}`]
    : []),
];

/** Smaller differences of the server's response time are noise, in milliseconds. */
const MIN_SERVER_MS = 100;

const isOther = ({ base, value }: Explanation['document']['serverResponseMs']): boolean =>
  base !== null && value !== null && Math.abs(value - base) >= MIN_SERVER_MS;

const elementText = ({
  selector,
  snippet,
  url,
}: {
  selector: string | null;
  snippet: string | null;
  url?: string | null;
}): string => [selector, snippet].filter(Boolean).join(' ') || (url ?? 'the page');
