import { expect, test } from 'vitest';
import { auditors } from '../../functions/auditor/auditors.ts';
import { auditVersions } from '../../shared/audit-versions.ts';
import { chromiumDir } from '../support/chromium-dir.ts';
import { servePages } from '../support/pages.ts';
import { writeReport } from '../support/recorded-reports.ts';

test.each(auditVersions)('records the $version report of the faulty page', async ({ version }) => {
  await using pages = await servePages();
  const lab = auditors({ targets: { targets: 'local', ports: [] }, chromiumDir: chromiumDir() });
  const order = {
    url: pages.url('/faulty'),
    auditVersion: version,
    device: 'mobile',
    skipOptionalParts: false,
  } as const;
  const verdict = await lab.audit(order, new AbortController().signal);
  await lab.close();
  expect(verdict).toMatchObject({ state: 'succeeded' });
  if (verdict.report) writeReport(version, verdict.report.gzip);
});
