import { cutText } from '../text.ts';
import type { FixItem } from './fix.ts';
import type { Details } from './report.ts';

const MAX_URL = 500;
const MAX_SNIPPET = 300;

type Row = Record<string, unknown>;

/** Returns all items of an audit's details, in Lighthouse's order. */
export const itemsOf = (details: Details | undefined): FixItem[] => rowsOf(details).flatMap(itemOf);

/** Returns the rows of a table, or of all tables, elements and failed checks of a list. */
const rowsOf = (details: unknown): Row[] => {
  if (!isRow(details)) return [];
  const { type, items, value } = details;
  if (type === 'node') return [{ node: details }];
  if (type === 'list-section') return rowsOf(value);
  if (type === 'checklist') return isRow(items) ? Object.values(items).filter(isRow).filter(isFailed) : [];
  if (!Array.isArray(items)) return [];
  return type === 'list' ? items.flatMap(rowsOf) : items.filter(isRow);
};

const isFailed = ({ value }: Row): boolean => value === false;

const itemOf = (row: Row): FixItem[] => {
  const node = [row.node, row.source].find((value) => isRow(value) && value.type === 'node') as Row | undefined;
  const url = [row.url, row.source, row.sourceLocation, row.href]
    .map((value) => textOf(value, 'url'))
    .find(isWebAddress);
  const words = [node?.snippet, row.description, row.groupLabel, row.entity, row.label, row.text, row.url];
  const item = {
    url: url === undefined ? null : cutText(url, MAX_URL),
    selector: cut(textOf(node?.selector, 'text')),
    snippet: cut(words.map((value) => textOf(value, 'text')).find((text) => text !== undefined && text !== url)),
    bytes: numberOf(row.wastedBytes, row.totalBytes, row.transferSize),
    ms: numberOf(row.wastedMs, row.duration, row.total, row.blockingTime, row.mainThreadTime, row.responseTime),
  };
  return (item.url ?? item.selector ?? item.snippet) ? [item] : [];
};

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

const cut = (text: string | undefined): string | null => (text ? cutText(text, MAX_SNIPPET) : null);

/** Returns a text. A link and a source location have theirs in a field. */
const textOf = (value: unknown, field: 'url' | 'text'): string | undefined => {
  const text = isRow(value) ? value[field] : value;
  return typeof text === 'string' && text !== '' ? text : undefined;
};

/** Returns true if a text is the address of a file. Lighthouse also has words in its place, such as `Unattributable`. */
const isWebAddress = (text: string | undefined): boolean =>
  text !== undefined && /^https?:/.test(text) && URL.canParse(text);

/** Returns the first number, rounded. */
const numberOf = (...values: unknown[]): number | null =>
  values.map((value) => (typeof value === 'number' ? Math.round(value) : value)).find(isWhole) ?? null;

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);
