import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditVersions } from '../../../shared/audit-versions.ts';
import { type Lab, openLab, type Report } from '../../support/page-lab.ts';

const [newest, previous] = auditVersions;

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

const failingIn = ({ audits }: Report) =>
  Object.entries(audits).flatMap(([id, { score }]) => (score !== null && score < 1 ? [id] : []));
const erroredIn = ({ audits }: Report) =>
  Object.entries(audits).flatMap(([id, audit]) => (audit.scoreDisplayMode === 'error' ? [id] : []));

test('the previous minor version judges a load of the newest as its own', async () => {
  const { verdict, report } = await lab.audit('/faulty', newest.version, { alsoBy: previous.version });
  const { also, warnings } = verdict;
  expect(warnings.join()).not.toContain('could not judge');
  if (also?.state !== 'succeeded' || !also.report) throw new Error(JSON.stringify(also));
  const judged = JSON.parse(gunzipSync(also.report.gzip).toString()) as Report;
  const own = await lab.audit('/faulty', previous.version);
  expect(judged).toMatchObject({ lighthouseVersion: previous.version, auditVersion: previous.version });
  expect(judged.fetchTime).toBe(report.fetchTime);
  expect(also.environment).toMatchObject({ auditVersion: previous.version, chromium: verdict.environment?.chromium });
  expect(erroredIn(judged)).toEqual(erroredIn(own.report));
  expect(Object.keys(judged.categories)).toEqual(Object.keys(own.report.categories));
  expect(Object.keys(judged.audits).sort()).toEqual(Object.keys(own.report.audits).sort());
  expect(failingIn(judged)).toEqual(failingIn(report).filter((id) => id in judged.audits)); // of one load, so times too
  const isTime = (id: string) =>
    /insight$|contentful|speed-index|interactive|blocking|potential-fid|time|main-?thread|long-tasks/.test(id);
  const timeless = (each: Report) => failingIn(each).filter((id) => !isTime(id));
  expect(timeless(judged)).toEqual(timeless(own.report));
});

test('a release that cannot judge the load says why, and the load keeps its own result', async () => {
  const { verdict } = await lab.audit('/faulty', newest.version, { alsoBy: '1.0.0' as never });
  expect(verdict).toMatchObject({ state: 'succeeded' });
  expect(verdict.also).toBeUndefined();
  expect(verdict.warnings.join('\n')).toMatch(
    /Lighthouse 1\.0\.0 loads the page itself, because it could not judge this load: ./,
  );
});
