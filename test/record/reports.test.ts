import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { auditors } from '../../functions/auditor/parent/auditors.ts';
import { assertionCases, type Row, reportOfCases, writeOutcomes } from '../support/assertion-cases.ts';
import { testChromium } from '../support/chromium-dir.ts';
import { type LhciResult, rowOf } from '../support/lhci-rows.ts';
import { majorVersions } from '../support/major-versions.ts';
import { anOrder } from '../support/order.ts';
import { servePages } from '../support/pages.ts';
import { writeReport } from '../support/recorded-reports.ts';

test.each(majorVersions)('records the $version report of the faulty page', async ({ version }) => {
  await using pages = await servePages();
  const lab = auditors({ targets: { targets: 'local', ports: [] }, ...testChromium() });
  const order = anOrder({ url: pages.url('/faulty'), auditVersion: version });
  const verdict = await lab.audit(order, new AbortController().signal);
  await lab.close();
  expect(verdict).toMatchObject({ state: 'succeeded' });
  if (verdict.report) writeReport(version, verdict.report.gzip);
});

test('records how Lighthouse CI judges the reports', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lhci-'));
  try {
    execFileSync('npm', ['pack', '--silent', '@lhci/utils@0.15.1'], { cwd: folder });
    execFileSync('tar', ['xzf', 'lhci-utils-0.15.1.tgz'], { cwd: folder });
    const require = createRequire(join(folder, 'package/src/'));
    const { getAllAssertionResults } = require('./assertions.js');
    const { convertBudgetsToAssertions } = require('./budgets-converter.js');
    const outcomes: Record<string, Row[]> = {};
    for (const { version } of majorVersions) {
      const report = reportOfCases(version);
      for (const each of assertionCases(report)) {
        const options = 'budgets' in each ? await convertBudgetsToAssertions(each.budgets) : each.options;
        const results: LhciResult[] = getAllAssertionResults({ ...options, includePassedAssertions: true }, [report]);
        outcomes[`${version} ${each.name}`] = results.map(rowOf);
      }
    }
    writeOutcomes(outcomes);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
