import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { mergeReports } from '../../functions/lib/runs/whole-report.ts';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { steadyCategories } from '../../shared/options/audit-options.ts';
import { majorVersions } from '../support/major-versions.ts';
import { readReport } from '../support/recorded-reports.ts';

type Lhr = Parameters<typeof mergeReports>[0];
type Element = { type: string; lhId?: string; path: string };
const first = (version: AuditVersion): Lhr => JSON.parse(gunzipSync(readReport(version)).toString());

const elementsIn = (of: unknown): Element[] => {
  const found: Element[] = [];
  JSON.stringify(of, (_, value) => {
    if (value?.type === 'node' && value.path) found.push(value);
    return value;
  });
  return found;
};

/** Returns a report of the page as a later sample gives it: other elements have the ids of the first load. */
const later = (version: AuditVersion): Lhr => {
  const { categories, audits, fullPageScreenshot: _, ...lhr } = first(version);
  const kept = Object.entries(categories).filter(([id]) => !(steadyCategories as readonly string[]).includes(id));
  const left = kept.map(([id, { auditRefs, ...rest }]) => {
    const refs = auditRefs.filter((ref) => !/^(bf-cache|full-page-screenshot)$/.test(ref.id));
    return [id, { ...rest, auditRefs: refs, score: 0.5 }] as const;
  });
  const ids = new Set(left.flatMap(([, { auditRefs }]) => auditRefs.map(({ id }) => id)));
  const of = Object.entries(audits).filter(([id]) => ids.has(id));
  const moved = JSON.parse(JSON.stringify(Object.fromEntries(of)), (key, value) => (key === 'lhId' ? '1-0-A' : value));
  return { ...lhr, categories: Object.fromEntries(left), audits: moved, fetchTime: 'later' };
};

const valueAt = (of: unknown, path: string): unknown =>
  path
    .split(/[.[\]]+/)
    .filter(Boolean)
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], of);

test.each(majorVersions)('$version: a merged report is whole', ({ version }) => {
  const [whole, timed] = [first(version), later(version)];
  const merged = mergeReports(timed, whole);
  const { fetchTime, configSettings, categories, audits } = merged;
  expect({ fetchTime, configSettings }).toEqual({ fetchTime: 'later', configSettings: whole.configSettings });
  expect(merged.steadyParts).toEqual({ sample: 1, fetchTime: whole.fetchTime });
  expect(Object.keys(audits)).toEqual(Object.keys(whole.audits));
  expect(Object.keys(categories)).toEqual(Object.keys(whole.categories));
  expect(categories.performance?.score).toBe(0.5);
  expect(categories.performance?.auditRefs).toEqual(whole.categories.performance?.auditRefs);
  for (const id of steadyCategories) expect(categories[id]).toEqual(whole.categories[id]);
  expect(merged.fullPageScreenshot).toEqual(whole.fullPageScreenshot);
  const paths = Object.values(merged.i18n?.icuMessagePaths ?? {}).flat();
  const texts = paths.map((message) => valueAt(merged, typeof message === 'string' ? message : message.path));
  expect(texts.length).toBeGreaterThan(300);
  expect(texts.filter((text) => typeof text !== 'string')).toEqual([]);
});

test.each(majorVersions)('$version: an element points to its own picture or to none', ({ version }) => {
  const [whole, timed] = [first(version), later(version)];
  const [strange] = elementsIn(timed.audits);
  if (strange) strange.path = 'elsewhere';
  const places = new Map(elementsIn(whole.audits).map(({ lhId, path }) => [lhId, path]));
  const shown = elementsIn(mergeReports(timed, whole).audits);
  expect(shown.length).toBeGreaterThan(10);
  for (const { lhId, path } of shown) if (lhId) expect(places.get(lhId)).toBe(path);
  expect(shown.filter(({ lhId }) => !lhId).map(({ path }) => path)).toEqual(strange ? ['elsewhere'] : []);
});

test('an audit that a category without noise shares with performance is that of the first sample', () => {
  const [whole, timed] = [first('11.7.1'), later('11.7.1')];
  timed.audits.viewport = { ...timed.audits.viewport, details: { nodes: 'of a later sample' } };
  expect(mergeReports(timed, whole).audits.viewport).toEqual(whole.audits.viewport);
});
