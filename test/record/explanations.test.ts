import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditors } from '../../functions/auditor/parent/auditors.ts';
import { type AuditVersion, auditVersions } from '../../shared/audit-versions.ts';
import { knownCauses, type SiteState, serveChangingSite } from '../support/changing-site.ts';
import { testChromium } from '../support/chromium-dir.ts';
import { majorVersions } from '../support/major-versions.ts';
import { anOrder } from '../support/order.ts';
import { nameOf, readReports, shortened, writeReports } from '../support/recorded-explanations.ts';

/** The pairs that all versions audit. The newest version audits all pairs. */
const inAllVersions = ['a script added', 'an image larger', 'a label gone', 'a cache header gone', 'a redirect more'];

let site: Awaited<ReturnType<typeof serveChangingSite>>;
let lab: ReturnType<typeof auditors>;
beforeAll(async () => {
  site = await serveChangingSite();
  lab = auditors({ targets: { targets: 'local', ports: [] }, ...testChromium() });
});
afterAll(async () => {
  await lab.close();
  await site[Symbol.asyncDispose]();
});

const recorded = new Set<string>();
/** Audits the site in a state, once, and adds the report to the recording. */
const record = async (version: AuditVersion, state: SiteState): Promise<void> => {
  const name = nameOf(version, state);
  if (recorded.has(name)) return;
  site.show(state);
  const order = anOrder({ url: site.url, auditVersion: version });
  const verdict = await lab.audit(order, new AbortController().signal);
  if (verdict.state === 'failed') throw new Error(`${name}: ${verdict.error.message}`);
  expect(verdict.report).toBeDefined();
  const report = JSON.parse(gunzipSync(verdict.report?.gzip ?? '').toString());
  writeReports({ ...readReports(), [name]: shortened(report) });
  recorded.add(name);
};

describe.each(majorVersions)('$version', ({ version }) => {
  const names = version === auditVersions[0].version ? Object.keys(knownCauses) : inAllVersions;
  test.each(names)('records a page before and after this change: %s', async (name) => {
    await record(version, knownCauses[name]?.before ?? {});
    await record(version, knownCauses[name]?.after ?? {});
  });
});
