import { lcpElementOf } from '../explanation/facts.ts';
import { itemsOf } from '../fixes/items.ts';
import { cutText, grouped } from '../text.ts';
import { type AssertedAudit, type AssertedReport, partsOfKey } from './values.ts';

/** Longest name of an element or a file in a message. */
const MAX_LENGTH = 100;

/** Returns the first element or file because of which an assertion failed, in words. Returns undefined if there is none. */
export const evidenceOf = (key: string, audit: AssertedAudit, report: AssertedReport): string | undefined => {
  const [id, part] = partsOfKey(key);
  if (id === 'interactions') return audit.evidence && cutText(audit.evidence, MAX_LENGTH);
  if (id === 'categories') return evidenceOfCategory(part ?? '', report);
  if (id === 'resource-summary') return part === undefined ? undefined : largestFile(part, report);
  if (id === 'user-timings') return undefined;
  if (id === 'largest-contentful-paint') return lcpElement(report);
  const first = firstItem(audit);
  return first && `First: ${first}`;
};

/** Returns the first element or file of an audit. Some audits name neither, and have words. */
const firstItem = ({ details }: AssertedAudit): string | undefined => {
  const items = itemsOf(details ?? undefined);
  const found = items.find(({ url, selector }) => url ?? selector) ?? items[0];
  const text = found && (found.selector ?? found.url ?? found.snippet);
  return text ? cutText(text, MAX_LENGTH) : undefined;
};

/** Returns the failed audit of a category that costs most, with its first element or file if it names one. */
const evidenceOfCategory = (id: string, { audits, categories }: AssertedReport): string | undefined => {
  const refs = Object.hasOwn(categories, id) ? (categories[id]?.auditRefs ?? []) : [];
  const failed = refs
    .flatMap(({ id: of, weight }) => {
      const audit = audits[of];
      return audit && audit.score !== null && weight > 0 ? [{ audit, cost: weight * (1 - audit.score) }] : [];
    })
    .filter(({ cost }) => cost > 0)
    .toSorted((a, b) => b.cost - a.cost);
  const [first] = failed;
  return first && `Costs most: ${[first.audit.title, firstItem(first.audit)].filter(Boolean).join(', ')}`;
};

const lcpElement = (report: AssertedReport): string | undefined => {
  const element = lcpElementOf(report);
  const text = element?.selector ?? element?.snippet;
  return text ? `Element: ${cutText(text, MAX_LENGTH)}` : undefined;
};

/** Types of `resource-summary` that a request names itself. Requests of another type count as `other`. */
const types = ['document', 'image', 'stylesheet', 'media', 'font', 'script'];

type Request = { url?: unknown; resourceType?: unknown; transferSize?: unknown };

/** Returns the largest file of a type. A report does not say which files are of third parties. */
const largestFile = (type: string, { audits }: AssertedReport): string | undefined => {
  const items = audits['network-requests']?.details?.items;
  const typeOf = ({ resourceType }: Request) => {
    const own = String(resourceType).toLowerCase();
    return types.includes(own) ? own : 'other';
  };
  const files = (Array.isArray(items) ? (items as Request[]) : [])
    .filter((request) => type === 'total' || typeOf(request) === type)
    .flatMap(({ url, transferSize: bytes }) =>
      typeof url === 'string' && typeof bytes === 'number' ? [{ url, bytes }] : [],
    )
    .toSorted((a, b) => b.bytes - a.bytes);
  const [largest] = files;
  return largest && `Largest: ${cutText(largest.url, MAX_LENGTH)}, ${grouped(Math.round(largest.bytes))} bytes`;
};
