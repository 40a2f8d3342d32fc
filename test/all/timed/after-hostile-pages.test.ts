import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startCpuMeter } from '../../../functions/auditor/host/cpu-meter.ts';
import { type AuditVersion, auditVersions } from '../../../shared/audit-versions.ts';
import type { RunView } from '../../../shared/run.ts';
import { hostilePages } from '../../pages/hostile/index.ts';
import { expectResult, finishedRun, namesFor, pageOf } from '../../support/hostile-results.ts';
import { serveHostilePages } from '../../support/hostile-server.ts';
import { majorVersions } from '../../support/major-versions.ts';
import { servePages } from '../../support/pages.ts';
import { startLocally } from '../../support/service.ts';
import { expectOnlyIdleAuditor, type LocalService } from '../../support/service-audits.ts';
import { expectFast } from '../../support/speed.ts';

const MINUTES = 60_000;
vi.setConfig({ testTimeout: 20 * MINUTES, hookTimeout: 2 * MINUTES });

const newest = auditVersions[0].version;
const everyVersion = majorVersions.map(({ version }) => version);

describe('after a hostile page that takes the whole machine', () => {
  const rows = everyVersion.flatMap((version) =>
    namesFor(version)
      .filter((name) => pageOf(name).alone)
      .map((name) => ({ name, version, page: pageOf(name) })),
  );
  let dataDir: string;
  let hostile: Awaited<ReturnType<typeof serveHostilePages>>;
  let pages: Awaited<ReturnType<typeof servePages>>;
  let service: LocalService;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'page-audit-data-'));
    hostile = await serveHostilePages(hostilePages);
    pages = await servePages();
    service = await startLocally(dataDir);
  });
  afterAll(async () => {
    await service.stop();
    await pages.close();
    await hostile.close();
    await rm(dataDir, { recursive: true });
  });

  const audit = async (url: string, auditVersion: AuditVersion): Promise<RunView> => {
    const { id } = await service.post({ url, auditVersion, regions: ['us-west1'] });
    return finishedRun(service, id);
  };

  test.each(rows)(
    '$name in version $version, a perfect page scores 100 and one auditor is left',
    async ({ name, version, page }) => {
      const readCpu = startCpuMeter(() => 0);
      const run = await audit(await hostile.url(name), version);
      await expectResult(page, run, service);
      // A hypervisor that takes CPU time does contend with the audit.
      const undisturbed = (readCpu()?.stolen ?? 0) < 0.03;
      if (page.attempts && undisturbed) expect(run.attempts.map(({ contended }) => contended)).not.toContain(true);
      const auditPerfect = () => audit(pages.url('/perfect'), newest);
      const perfect = await auditPerfect();
      expect(perfect).toMatchObject({ error: null, accessibility: 100, bestPractices: 100, seo: 100 });
      await expectFast(perfect, auditPerfect, 95);
      await expectOnlyIdleAuditor(service);
    },
  );
});
