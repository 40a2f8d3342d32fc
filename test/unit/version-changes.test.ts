import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { successors, versionChanges } from '../../shared/explanation/version-changes.ts';
import { majorVersions } from '../support/major-versions.ts';
import { readReport } from '../support/recorded-reports.ts';

const reportOf = (version: AuditVersion) => JSON.parse(gunzipSync(readReport(version)).toString());
const changesOf = (base: AuditVersion, now: AuditVersion) => versionChanges(reportOf(base), reportOf(now));

test('the successors of audits are those that Lighthouse 12 names itself', () => {
  const audits: Record<string, { replacesAudits?: string[] }> = reportOf('12.8.2').audits;
  const named = Object.entries(audits).flatMap(([id, { replacesAudits = [] }]) =>
    replacesAudits.map((old) => [old, id] as const),
  );
  expect(named.length).toBeGreaterThan(15);
  expect(successors).toMatchObject(Object.fromEntries(named));
});

test('an audit that is gone, new, renamed or has another weight is named with the points of its category', () => {
  const changes = [...changesOf('12.8.2', '13.5.0'), ...changesOf('9.6.8', '10.4.0')].flatMap(({ audits }) => audits);
  const found = (audit: string) => changes.find((each) => each.audit === audit);
  expect(found('font-size')).toMatchObject({ kind: 'gone', baseWeight: 1, weight: null });
  expect(found('label')).toMatchObject({ kind: 'weight', baseWeight: 7, weight: 10, points: expect.closeTo(-2.8, 0) });
  expect(found('render-blocking-insight')).toMatchObject({ kind: 'renamed', baseAudit: 'render-blocking-resources' });
  expect(found('paste-preventing-inputs')).toMatchObject({
    kind: 'renamed',
    baseAudit: 'password-inputs-can-be-pasted-into',
  });
  expect(found('bf-cache')).toMatchObject({ kind: 'new', baseWeight: null, weight: 0 });
});

test.each(
  majorVersions.slice(1).map(({ version }, i) => [version, majorVersions[i]?.version as AuditVersion] as const),
)('from %s to %s the points of a category add up to the change of its score', (base, now) => {
  for (const { category, base: before, value, audits, otherPoints } of changesOf(base, now)) {
    if (before === null || value === null) continue;
    const sum = audits.reduce((points, each) => points + each.points, otherPoints);
    expect(Math.abs(sum - (value - before)), category).toBeLessThan(1); // the scores are rounded
  }
});

test('a report against itself has no change', () => {
  for (const { audits, otherPoints } of changesOf('13.5.0', '13.5.0')) expect([audits, otherPoints]).toEqual([[], 0]);
});
