import type { EventParts, Explanation, RequestChange, RequestList } from '../../shared/explanation/schema.ts';
import { bytesText, pointsText, shiftText, timeText, typeText } from '../../shared/explanation/words.ts';
import { counted, metricNames, metrics, textOrDash } from './numbers.ts';
import type { Row, Section } from './section.ts';

/** Returns the facts of an explanation. A section without rows is left out. */
export const sectionsOf = (explanation: Explanation): Section[] => {
  const { omitted } = explanation;
  const omittedRequests = requestLists.map((list) => omitted[`requests.${list}`] ?? 0);
  const sections: Section[] = [
    {
      id: 'points',
      title: 'Points of the performance score',
      columns: ['Metric', ...sides, 'Points'],
      rows: explanation.points.flatMap(pointsRow),
    },
    {
      id: 'requests',
      title: 'Requests',
      columns: ['Request', 'Change', 'Type', 'Size', 'Time'],
      rows: requestLists.flatMap((list) => explanation.requests[list].map((request) => requestRow(list, request))),
      omitted: omittedRequests.reduce((sum, each) => sum + each, 0),
    },
    {
      id: 'mainThread',
      title: 'Main thread',
      columns: ['Script', ...sides],
      rows: explanation.mainThread.map(({ url, baseMs, ms }) => ({
        name: url,
        cells: both(baseMs, ms, timeText, 'less than 50 ms'),
      })),
    },
    { id: 'lcpElement', title: 'LCP element', columns: sides, rows: lcpRows(explanation) },
    {
      id: 'layoutShifts',
      title: 'Layout shifts',
      columns: ['Element', ...sides],
      rows: explanation.layoutShifts.map(({ base, value, ...element }) => ({
        name: elementText(element),
        cells: both(base, value, shiftText, '0'),
      })),
    },
    { id: 'document', title: 'Document', columns: ['Fact', ...sides], rows: documentRows(explanation) },
    {
      id: 'caching',
      title: 'Cache lifetimes',
      columns: ['Request', ...sides],
      rows: explanation.caching.map(({ url, baseSeconds, seconds }) => ({
        name: url,
        cells: both(baseSeconds, seconds, secondsText, 'long'),
      })),
    },
    {
      id: 'interactions',
      title: 'Interactions',
      columns: ['Interaction', 'Event or script', ...sides],
      rows: interactionRows(explanation),
    },
    {
      id: 'audits',
      title: 'Audits',
      columns: ['Audit', 'Category', 'Now'],
      rows: explanation.audits.map(({ title, outcome, category }) => ({
        name: title,
        cells: [category, outcome === 'failed' ? { text: 'fails', grade: 'poor' } : { text: 'passes', grade: 'pass' }],
      })),
    },
    {
      id: 'elements',
      title: 'Findings',
      columns: ['Element', 'Audit', 'Now'],
      rows: explanation.elements.map((each) => ({ name: elementText(each), cells: [each.title, each.change] })),
    },
  ];
  return sections
    .filter(({ rows }) => rows.length > 0)
    .map((section) => ({ omitted: omitted[section.id] ?? 0, ...section, kind: 'list' }));
};

const sides = ['Before', 'After'];

const both = <T>(base: T | null, value: T | null, text: (value: T) => string, missing: string): string[] =>
  [base, value].map((each) => (each === null ? missing : text(each)));

const requestLists = ['added', 'gone', 'larger', 'smaller', 'slower', 'faster'] satisfies RequestList[];

const interactionRows = ({ interactions }: Explanation): Row[] =>
  (interactions ?? []).flatMap(({ name, event, scripts }) => {
    const { type, selector } = event.value ?? event.base ?? { type: 'event', selector: null };
    return [
      { what: selector ? `${type} on ${selector}` : type, ...event },
      ...scripts.map(({ url, function: called, base, value }) => ({
        what: [called && `${called}()`, url].filter(Boolean).join(' in '),
        base,
        value,
      })),
    ].map(({ what, base, value }) => ({ name, cells: [what, partsText(base), partsText(value)] }));
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

const secondsText = (seconds: number): string => (seconds === 0 ? 'none' : counted(seconds, 'second'));

const pointsRow = ({ metric, base, value, points, verdict }: Explanation['points'][number]): Row[] => {
  const name = metrics.find((each) => each === metric);
  const gained = pointsText(points);
  if (!name || !gained) return [];
  const doubt = verdict === 'unknown' ? ', no clear change' : '';
  return [{ name: metricNames[name], cells: [textOrDash(name, base), textOrDash(name, value), `${gained}${doubt}`] }];
};

const requestRow = (list: RequestList, request: RequestChange): Row => {
  const { url, type, thirdParty, blocking, baseBytes, bytes, baseMs, ms } = request;
  const kind = [typeText(type), thirdParty && 'third party', blocking && 'blocks the first paint'].filter(Boolean);
  const [size, time] = [change(baseBytes, bytes, bytesText), change(baseMs, ms, timeText)];
  return { name: url, cells: [list === 'added' ? 'new' : list, kind.join(', '), size, time] };
};

const change = (base: number | null, value: number | null, text: (value: number) => string): string => {
  const [only = 0] = [base, value].filter((each) => each !== null);
  if (base === null || value === null || base === value) return base === null && value === null ? '' : text(only);
  return `${text(base)} → ${text(value)}`;
};

const lcpRows = ({ lcpElement }: Explanation): Row[] =>
  lcpElement?.changed ? [{ name: elementText(lcpElement.base), cells: [elementText(lcpElement.value)] }] : [];

const documentRows = ({ document: { redirects, serverResponseMs } }: Explanation): Row[] => [
  ...(redirects.base === redirects.value
    ? []
    : [{ name: 'Redirects', cells: both(redirects.base, redirects.value, String, '–') }]),
  ...(isOther(serverResponseMs)
    ? [{ name: 'Server response', cells: both(serverResponseMs.base, serverResponseMs.value, timeText, '–') }]
    : []),
];

/** Smaller differences of the server's response time are noise, in milliseconds. */
const MIN_SERVER_MS = 100;

const isOther = ({ base, value }: Explanation['document']['serverResponseMs']): boolean =>
  base !== null && value !== null && Math.abs(value - base) >= MIN_SERVER_MS;

type Element = { selector: string | null; snippet: string | null; url?: string | null };

const elementText = ({ selector, snippet, url }: Element): string =>
  [selector, snippet].filter(Boolean).join(' ') || (url ?? 'the page');
