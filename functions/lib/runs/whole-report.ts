import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

/** A stored report. */
export type Report = { gzip: Buffer; bytes: number };
type Node = { type?: unknown; lhId?: unknown; path?: unknown; selector?: unknown };
type Audit = { details?: { nodes?: unknown } };
type AuditRef = { id: string };
type Category = { score: number | null; auditRefs: AuditRef[] };
type Message = string | { path: string };
type Screenshot = { nodes?: Record<string, unknown> };

/** A Lighthouse result, as far as two of them are merged. */
type Lhr = {
  fetchTime: string;
  configSettings: Record<string, unknown>;
  categories: Record<string, Category>;
  audits: Record<string, Audit>;
  fullPageScreenshot?: Screenshot | null; // since version 10
  entities?: { name: string }[]; // since version 10
  i18n?: { icuMessagePaths?: Record<string, Message[]> };
  [field: string]: unknown;
};

/** Returns the report of a sample with the parts that only the first sample has. */
export const wholeReport = async (sample: Buffer, first: Buffer): Promise<Report> => {
  const [timed, whole] = (await Promise.all([sample, first].map(read))) as [Lhr, Lhr];
  const json = Buffer.from(JSON.stringify(mergeReports(timed, whole)));
  return { gzip: await promisify(gzip)(json, { level: 6 }), bytes: json.length };
};

const read = async (zipped: Buffer): Promise<Lhr> => JSON.parse((await promisify(gunzip)(zipped)).toString());

/** Settings that say which parts of the report there are. */
const PARTS = ['onlyCategories', 'skipAudits', 'disableFullPageScreenshot'];

/**
 * Returns the result of a sample with the categories, audits and screenshot that only the first sample has. `steadyParts`
 * says where they come from.
 */
export const mergeReports = (timed: Lhr, first: Lhr): Lhr => {
  const isOfFirst = ofFirst(timed, first);
  const find = elementsOf(first);
  return {
    ...timed,
    steadyParts: { sample: 1, fetchTime: first.fetchTime },
    configSettings: { ...timed.configSettings, ...fieldsOf(first.configSettings, PARTS) },
    ...fieldsOf(first, ['categoryGroups', 'stackPacks', 'fullPageScreenshot']),
    categories: mapEntries(first.categories, (id, category) => mergeCategory(category, timed.categories[id])),
    audits: mapEntries(first.audits, (id, audit) =>
      isOfFirst(id) ? audit : withElements(timed.audits[id] ?? audit, find),
    ),
    ...(timed.entities && { entities: mergeEntities(timed.entities, first.entities ?? []) }),
    ...(timed.i18n && { i18n: { ...timed.i18n, icuMessagePaths: mergeMessages(timed, first, isOfFirst) } }),
  };
};

/** Returns a function that says whether an audit is that of the first sample: the sample lacks it, or one of its categories. */
const ofFirst = (timed: Lhr, first: Lhr): ((id: string) => boolean) => {
  const missing = Object.entries(first.categories).filter(([id]) => !timed.categories[id]);
  const ids = new Set(missing.flatMap(([, { auditRefs }]) => auditRefs.map(({ id }) => id)));
  return (id) => ids.has(id) || !timed.audits[id];
};

/** Returns a category with the score of the sample. Its audits keep the weights that they had in the sample. */
const mergeCategory = (first: Category, timed: Category | undefined): Category => {
  if (!timed) return first;
  const refs = new Map(timed.auditRefs.map((ref) => [ref.id, ref]));
  return { ...first, score: timed.score, auditRefs: first.auditRefs.map((ref) => refs.get(ref.id) ?? ref) };
};

const mergeEntities = (timed: { name: string }[], first: { name: string }[]): { name: string }[] => {
  const names = new Set(timed.map(({ name }) => name));
  return [...timed, ...first.filter(({ name }) => !names.has(name))];
};

/** Returns the places of translatable texts. A viewer writes another language there. */
const mergeMessages = (timed: Lhr, first: Lhr, isOfFirst: (id: string) => boolean): Record<string, Message[]> => {
  const isFrom = (message: Message): 'first' | 'timed' => {
    const [field, id = ''] = (typeof message === 'string' ? message : message.path).split(/[.[\]]+/);
    if (field === 'audits') return isOfFirst(id) ? 'first' : 'timed';
    return field === 'runWarnings' ? 'timed' : 'first';
  };
  const merged: Record<string, Message[]> = {};
  for (const [source, { i18n }] of Object.entries({ timed, first })) {
    for (const [id, messages] of Object.entries(i18n?.icuMessagePaths ?? {})) {
      const own = messages.filter((message) => isFrom(message) === source);
      if (own.length > 0) merged[id] = [...(merged[id] ?? []), ...own];
    }
  }
  return merged;
};

type Find = (element: Node) => unknown;

/** Returns a function that finds an element of another load in the screenshot of the first sample, by its place in the document. */
const elementsOf = ({ audits, fullPageScreenshot }: Lhr): Find => {
  const shown =
    (fullPageScreenshot ?? (audits['full-page-screenshot']?.details as Screenshot | undefined))?.nodes ?? {};
  const ids = new Map<string, unknown>();
  JSON.stringify(audits, (_, value) => {
    if (isElement(value) && `${value.lhId}` in shown) ids.set(placeOf(value), value.lhId);
    return value;
  });
  return (element) => ids.get(placeOf(element));
};

/** Returns an audit whose elements point to themselves in the screenshot of the first sample, or to nothing. */
const withElements = <Of>(audit: Of, find: Find): Of =>
  JSON.parse(JSON.stringify(audit, (_, value) => (isElement(value) ? { ...value, lhId: find(value) } : value)));

const isElement = (value: unknown): value is Node =>
  (value as Node | null)?.type === 'node' && 'lhId' in (value as Node);
const placeOf = ({ path, selector }: Node): string => JSON.stringify([path, selector]);

const fieldsOf = (of: Record<string, unknown>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.filter((name) => name in of).map((name) => [name, of[name]]));

const mapEntries = <Value, Mapped>(of: Record<string, Value>, map: (key: string, value: Value) => Mapped) =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [key, map(key, value)])) as Record<string, Mapped>;
