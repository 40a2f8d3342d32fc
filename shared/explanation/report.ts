/** An element of the page, as a report names it. */
export type NodeValue = { selector?: string; snippet?: string; nodeLabel?: string };

/** A row of an audit's table. Its fields depend on the audit and on the version of Lighthouse. */
export type Item = {
  url?: unknown;
  node?: NodeValue;
  items?: readonly Item[];
  [field: string]: unknown;
} & NodeValue;

export type Audit = {
  title?: string;
  score?: number | null;
  scoreDisplayMode?: string;
  numericValue?: number;
  numericUnit?: string;
  details?: { items?: unknown };
};

type AuditRef = { id: string; weight: number; group?: string };
type Entity = { name: string; origins: readonly string[]; isFirstParty?: boolean };

/** The fields of a Lighthouse result that an explanation reads. The versions 9 to 13 have them, except those marked optional. */
export type Report = {
  requestedUrl?: string;
  mainDocumentUrl?: string;
  finalUrl?: string;
  audits: Readonly<Record<string, Audit | undefined>>;
  categories: Readonly<
    Record<string, { title?: string; score: number | null; auditRefs: readonly AuditRef[] } | undefined>
  >;
  /** Since version 10. */
  entities?: readonly Entity[];
  configSettings?: { throttlingMethod?: string; throttling?: { throughputKbps?: number } };
};

/** The audits of a report, as far as their tables are read. */
export type Tables = {
  audits: Readonly<Record<string, { details?: { items?: unknown } | null | undefined } | undefined>>;
};

/** Most rows of a table that are read. An uploaded report may have 100,000, whose facts would hold the service. */
const MAX_ROWS = 5000;

/** Returns the rows of the first of these audits that has a table. The versions name some audits differently. */
export const itemsOf = ({ audits }: Tables, ...ids: readonly string[]): Item[] => {
  for (const id of ids) {
    const items = audits[id]?.details?.items;
    if (Array.isArray(items))
      return items.slice(0, MAX_ROWS).filter((item) => item !== null && typeof item === 'object');
  }
  return [];
};

/** Returns the value of a field that should be a number, or null. */
export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** Returns the address of the document that was measured. */
export const documentUrlOf = ({ mainDocumentUrl, finalUrl, requestedUrl }: Report): string =>
  mainDocumentUrl ?? finalUrl ?? requestedUrl ?? '';
