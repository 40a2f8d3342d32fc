import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HostBenchmark } from '../../../functions/auditor/host/benchmark.ts';
import type { Benchmark } from '../../../functions/auditor/messages.ts';
import { auditors } from '../../../functions/auditor/parent/auditors.ts';
import type { AuditVersion } from '../../../shared/audit-versions.ts';
import { auditorDir } from '../../support/auditor-dir.ts';
import { testChromium } from '../../support/chromium-dir.ts';
import { anOrder } from '../../support/order.ts';
import { servePages } from '../../support/pages.ts';
import { waitFor } from '../../support/service.ts';

let pages: Awaited<ReturnType<typeof servePages>>;
beforeAll(async () => {
  pages = await servePages();
});
afterAll(() => pages.close());

test('an idle auditor measures the benchmark of the host, and later audits of other versions reuse it', async () => {
  let kept: Benchmark | null = null;
  const benchmark: HostBenchmark = {
    current: () => kept,
    record: (_, measured) => {
      kept = measured ?? kept;
    },
  };
  const lab = auditors({
    targets: { targets: 'local', ports: [] },
    ...testChromium(),
    auditorDir: await auditorDir(),
    benchmark,
  });
  const environmentOf = async (auditVersion: AuditVersion) => {
    const order = anOrder({ url: pages.url('/perfect'), auditVersion, categories: ['performance'] });
    const signal = new AbortController().signal;
    return (await lab.audit(order, signal)).environment;
  };
  try {
    await lab.prepare();
    await waitFor(() => kept ?? undefined);
    const measuredBy = Date.now();

    const newest = await environmentOf('13.5.0');
    const oldest = await environmentOf('9.6.8');
    expect(newest?.benchmarkIndex).toBeGreaterThan(0);
    expect(Date.parse(newest?.benchmarkedAt ?? '')).toBeLessThanOrEqual(measuredBy);
    const { benchmarkIndex, benchmarkedAt } = newest ?? {};
    expect(oldest).toMatchObject({ benchmarkIndex, benchmarkedAt });
  } finally {
    await lab.close();
  }
});
