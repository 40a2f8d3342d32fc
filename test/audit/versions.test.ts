import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuditVersion, auditVersions, majorOf } from '../../shared/audit-versions.ts';
import { expectHar } from '../support/har.ts';
import { insightsOf } from '../support/insights.ts';
import { testReport } from '../support/known-report.ts';
import { type Audited, type Lab, openLab, type Report } from '../support/page-lab.ts';

/** Expected scores and faults that differ by version. */
const known = {
  '13': {
    scores: { accessibility: 19, bestPractices: 77, seo: 58 },
    faults: { accessibility: ['landmark-one-main', 'target-size'], 'best-practices': ['paste-preventing-inputs'] },
  },
  '12': {
    scores: { accessibility: 21, bestPractices: 79, seo: 58 },
    faults: { accessibility: ['target-size'], 'best-practices': ['paste-preventing-inputs'] },
  },
  '11': {
    scores: { accessibility: 23, bestPractices: 78, seo: 57 },
    faults: { 'best-practices': ['paste-preventing-inputs'], seo: ['tap-targets'] },
  },
  '10': {
    scores: { accessibility: 20, bestPractices: 67, seo: 57 },
    faults: { 'best-practices': ['paste-preventing-inputs'], seo: ['tap-targets'] },
  },
  '9': {
    scores: { accessibility: 24, bestPractices: 75, seo: 57 },
    faults: { seo: ['tap-targets'] },
  },
} as const satisfies Record<OfferedMajor, unknown>;
type Major<Version> = Version extends `${infer First}.${string}` ? First : never;
type OfferedMajor = Major<(typeof auditVersions)[number]['version']>;
const knownOf = (version: AuditVersion) => known[majorOf(version) as OfferedMajor];

/** Faults that every version finds on the faulty page. */
const faultsOfAll = {
  accessibility: [
    ...['button-name', 'color-contrast', 'document-title', 'heading-order', 'html-has-lang', 'image-alt', 'label'],
    'meta-viewport',
  ],
  'best-practices': ['doctype', 'errors-in-console', 'image-aspect-ratio'],
  seo: ['crawlable-anchors', 'document-title', 'image-alt', 'link-text', 'meta-description'],
};

let lab: Lab;
const audits = new Map<AuditVersion, Promise<Audited>>();
beforeAll(async () => {
  lab = await openLab();
  for (const { version } of auditVersions)
    audits.set(version, lab.auditInTurn('/faulty', version, { artifacts: ['trace', 'har'] }));
  await Promise.allSettled(audits.values());
});
afterAll(() => lab.close());

describe.each(auditVersions)('in version $version', ({ version }) => {
  const audited = () => audits.get(version) as Promise<Audited>;

  test('the faulty page has exactly its faults', async () => {
    const { metrics, report } = await audited();
    const more: Partial<Record<keyof typeof faultsOfAll, readonly string[]>> = knownOf(version).faults;
    for (const [category, inAllVersions] of Object.entries(faultsOfAll)) {
      const failing = report.categories[category]?.auditRefs.map(({ id }) => id).filter((id) => fails(report, id));
      expect(failing?.sort(), category).toEqual(
        [...inAllVersions, ...(more[category as keyof typeof faultsOfAll] ?? [])].sort(),
      );
    }
    expect(metrics).toMatchObject(knownOf(version).scores);
  });

  test('its trace and its HAR can be read by other tools', async () => {
    const { trace, har } = (await audited()).verdict.report?.artifacts ?? {};
    expect((await insightsOf(fileOf(trace))).Meta.mainFrameURL).toBe(lab.pages.url('/faulty'));
    const { log } = expectHar(fileOf(har));
    expect(log.entries.map(({ request }) => request.url)).toContain(lab.pages.url('/faulty'));
    expect(log.pages[0]?.pageTimings.onLoad).toBeGreaterThan(0);
  });

  test('its load has steady values near its own', async () => {
    const { metrics, steady } = (await audited()).verdict;
    for (const name of ['fcp', 'lcp', 'tbt'] as const)
      expect(Math.abs((steady?.[name] ?? Number.NaN) - (metrics[name] ?? 0)), name).toBeLessThan(100);
  });

  testReport({ version, url: () => lab.pages.url('/faulty'), audited });
});

const fileOf = (file: { gzip: Buffer } | undefined) => JSON.parse(gunzipSync(file?.gzip as Buffer).toString());

const fails = (report: Report, id: string): boolean => {
  const score = report.audits[id]?.score ?? null;
  return score !== null && score < 1;
};
