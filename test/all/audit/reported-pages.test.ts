import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import { majorOf } from '../../../shared/audit-versions.ts';
import type { RunView } from '../../../shared/run.ts';
import { isFinished } from '../../../shared/states.ts';
import { reportedPages, shortSet } from '../../pages/reported/index.ts';
import { FULL } from '../../support/full.ts';
import { serveHostilePages } from '../../support/hostile-server.ts';
import { startLoops } from '../../support/loops.ts';
import { majorVersions } from '../../support/major-versions.ts';
import { expectReported, type Report, type ReportedPage } from '../../support/reported-page.ts';
import { startLocally } from '../../support/service.ts';
import type { LocalService } from '../../support/service-audits.ts';

const MINUTES = 60_000;
vi.setConfig({ testTimeout: 20 * MINUTES, hookTimeout: 2 * MINUTES }); // a test also waits for the audits queued before its own

const majors = FULL ? ['13', '12', '9'] : ['13'];
const versions = majorVersions.map(({ version }) => version).filter((version) => majors.includes(majorOf(version)));
const all = Object.entries(reportedPages);
const named = FULL ? all : all.filter(([name]) => shortSet.includes(name));

/** Audits pages in all versions, in one service. Declares a test for each audit. */
const testAudits = (pages: readonly [string, ReportedPage][], settings: Record<string, string>) => {
  const ids = new Map<string, string>();
  let dataDir: string;
  let site: Awaited<ReturnType<typeof serveHostilePages>>;
  let service: LocalService;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'page-audit-data-'));
    site = await serveHostilePages(reportedPages);
    service = await startLocally(dataDir, settings);
    for (const auditVersion of versions) {
      for (const [name] of pages) {
        const { id } = await service.post({ url: await site.url(name), auditVersion, regions: ['us-west1'] });
        ids.set(`${name} ${auditVersion}`, id);
      }
    }
  });
  afterAll(async () => {
    await service.stop();
    await site.close();
    await rm(dataDir, { recursive: true });
  });

  const reportOf = async ({ id }: RunView): Promise<Report> => {
    const response = await fetch(`${service.url}/v1/audit/runs/${id}/report`);
    return (await response.json()) as Report;
  };
  describe.each(versions)('in version %s', (version) => {
    const rows = pages.map(([name, page]) => ({ name, page, result: page.verdicts.join(' or ') }));
    test.each(rows)('$name: $page.is gives $result', async ({ name, page }) => {
      const id = ids.get(`${name} ${version}`) as string;
      const check = await service.until(id, ({ runs }) => runs.every(({ state }) => isFinished(state)), 1200);
      await expectReported(page, check.runs[0] as RunView, reportOf);
    });
  });
};

const together = { AUDITS_AT_ONCE: '4', TIMED_AT_ONCE: '4' };

describe('a page after a public bug report', () => {
  testAudits(
    named.filter(([, { notContended }]) => !notContended),
    together,
  );
});

/** Declares tests at full size only. A skipped test would have to say what this machine lacks. */
const describeInFull = (name: string, declare: () => void): void => {
  if (FULL) describe(name, declare);
};

describeInFull('a page that is busy itself, audited alone', () => {
  testAudits(
    named.filter(([, { notContended }]) => notContended),
    { AUDITS_AT_ONCE: '1' },
  );
});

describeInFull('while other processes use all CPUs', () => {
  let loops: Disposable;
  beforeAll(() => {
    loops = startLoops(2 * availableParallelism());
  });
  afterAll(() => loops[Symbol.dispose]());
  testAudits(
    named.filter(([, { atBusyTimes }]) => atBusyTimes),
    { AUDITS_AT_ONCE: '1' },
  );
});
