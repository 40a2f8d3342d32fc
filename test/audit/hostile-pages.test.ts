import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startCpuMeter } from '../../functions/auditor/host/cpu-meter.ts';
import { HARD_LIMIT_MS } from '../../functions/auditor/stop-rules.ts';
import { type AuditVersion, auditVersions, majorOf } from '../../shared/audit-versions.ts';
import { type Attempt, isFinished, type RunView } from '../../shared/run.ts';
import { hostilePages, shortSet, shortSetOf9 } from '../pages/hostile/index.ts';
import { FULL } from '../support/full.ts';
import { type HostilePage, serveHostilePages } from '../support/hostile-server.ts';
import { servePages } from '../support/pages.ts';
import { startLocally } from '../support/service.ts';
import { expectOnlyIdleAuditor, type LocalService } from '../support/service-audits.ts';
import { expectFast } from '../support/speed.ts';

const MINUTES = 60_000;
vi.setConfig({ testTimeout: 20 * MINUTES, hookTimeout: 2 * MINUTES }); // a test also waits for the audits queued before its own

const newest = auditVersions[0].version;
const everyVersion = auditVersions.map(({ version }) => version);

/**
 * Names of the pages that a version audits. In `npm run test:full` the newest version audits every page, version 9 all
 * pages with an unusual result, and the others the common ones.
 */
const namesFor = (version: AuditVersion): readonly string[] => {
  const isNine = majorOf(version) === '9';
  if (!FULL) return version === newest ? shortSet : isNine ? shortSetOf9 : [];
  const isUnusual = ({ verdicts, warning, alone }: HostilePage) =>
    String(verdicts) !== 'succeeded' || warning !== undefined || alone === true;
  return Object.entries(hostilePages)
    .filter(([, page]) => version === newest || page.common || (isNine && isUnusual(page) && !page.not9))
    .map(([name]) => name);
};
const pageOf = (name: string): HostilePage => {
  const page = hostilePages[name];
  if (!page) throw new Error(`There is no hostile page ${name}.`);
  return page;
};

/**
 * Time limits for an early failure, in seconds. `ofRequest` counts from the request to the page's server. Without a server
 * the limit applies to the whole attempt, which takes longer with four audits at work. Lighthouse would wait for 36 s.
 */
const EARLY_SECONDS = { ofRequest: 5, free: 15, contended: 30 };

type Hostile = Awaited<ReturnType<typeof serveHostilePages>>;

describe('a hostile page', () => {
  type Created = { rejectedWith: string } | { id: string; url: string };
  const created = new Map<string, Created>();
  const together = (version: AuditVersion) => namesFor(version).filter((name) => !pageOf(name).alone);
  const versions = everyVersion.filter((version) => together(version).length > 0);
  let dataDir: string;
  let pages: Hostile;
  let service: LocalService;

  const create = async (name: string, auditVersion: AuditVersion): Promise<Created> => {
    const { categories } = pageOf(name);
    const url = await pages.url(name);
    const body = JSON.stringify({ url, auditVersion, regions: ['us-west1'], categories });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${service.url}/v1/checks`, { method: 'POST', headers, body });
    const { id, code } = (await response.json()) as { id: string; code: string };
    return response.status === 201 ? { id, url } : { rejectedWith: code };
  };

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'page-audit-data-'));
    pages = await serveHostilePages(hostilePages);
    service = await startLocally(dataDir, { AUDITS_AT_ONCE: '4', TIMED_AT_ONCE: '4', RETAKES: '0' });
    for (const version of versions) {
      for (const name of together(version)) created.set(`${name} ${version}`, await create(name, version));
    }
  });
  afterAll(async () => {
    await service.stop();
    await pages.close();
    await rm(dataDir, { recursive: true });
  });

  describe.each(versions)('in version %s', (version) => {
    const rows = together(version).map((name) => {
      const page = pageOf(name);
      return { name, page, result: page.verdicts.join(' or ') };
    });
    test.each(rows)('$name: $page.is gives $result', async ({ name, page }) => {
      const check = created.get(`${name} ${version}`) as Created;
      if ('rejectedWith' in check) return expect(page.verdicts).toContain(check.rejectedWith);
      await expectResult(page, await finishedRun(service, check.id), service, pages.requestedAt(check.url));
    });
  });

  test('leaves no process: the only one is the auditor for the next audit', async () => {
    await expectOnlyIdleAuditor(service);
  });
});

describe('after a hostile page that takes the whole machine', () => {
  const rows = everyVersion.flatMap((version) =>
    namesFor(version)
      .filter((name) => pageOf(name).alone)
      .map((name) => ({ name, version, page: pageOf(name) })),
  );
  let dataDir: string;
  let hostile: Hostile;
  let pages: Awaited<ReturnType<typeof servePages>>;
  let service: LocalService;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'page-audit-data-'));
    hostile = await serveHostilePages(hostilePages);
    pages = await servePages();
    service = await startLocally(dataDir, { RETAKES: '0' });
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
      const readCpu = startCpuMeter(service.pid);
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

const finishedRun = async (service: LocalService, id: string): Promise<RunView> => {
  const check = await service.until(id, ({ runs }) => runs.every(({ state }) => isFinished(state)), 1200);
  return check.runs[0] as RunView;
};

const expectResult = async (page: HostilePage, run: RunView, service: LocalService, requestedAt?: number) => {
  const { error, attempts, warnings } = run;
  const facts = JSON.stringify({ error, attempts, warnings });
  expect(page.verdicts, facts).toContain(error?.code ?? run.state);
  expect(run.finalUrl ?? '').not.toMatch(/^chrome-error:/);
  if (page.attempts) expect(attempts.length, facts).toBe(page.attempts);
  if (page.warning && (!error || !page.verdicts.includes('succeeded'))) {
    expect(warnings.join('\n'), facts).toMatch(page.warning);
  }
  if (error) expectFailure(run);
  else await expectSuccess(page, run, service);
  for (const { seconds } of attempts) {
    expect(seconds, facts).toBeLessThan(Math.min(page.seconds ?? Infinity, HARD_LIMIT_MS / 1000 + 5));
  }
  if (page.early) {
    expect(attempts.length, facts).toBe(1);
    const { seconds, finishedAt, contended } = attempts[0] as Attempt;
    if (requestedAt) expect((Date.parse(finishedAt) - requestedAt) / 1000, facts).toBeLessThan(EARLY_SECONDS.ofRequest);
    else expect(seconds, facts).toBeLessThan(EARLY_SECONDS[contended ? 'contended' : 'free']);
  }
};

const expectFailure = (run: RunView) => {
  const numbers = numbersOf(run).filter((number) => number !== null);
  expect({ blame: run.error?.blame, numbers }).toEqual({ blame: 'page', numbers: [] });
};

const expectSuccess = async ({ categories, warningBefore }: HostilePage, run: RunView, service: LocalService) => {
  const requested = categories?.map((category) => run[category as 'accessibility' | 'seo']);
  expect(requested ?? numbersOf(run)).not.toContain(null);
  expect(run.finalUrl).toMatch(/^https?:/);
  const [version, warning] = warningBefore ?? [0, /./];
  if (Number(majorOf(run.auditVersion)) < version) expect(run.warnings.join('\n')).toMatch(warning);
  const response = await fetch(`${service.url}/v1/audit/runs/${run.id}/report`);
  const report = (await response.json()) as { auditVersion: string; runtimeError?: unknown };
  expect(report.auditVersion).toBe(run.auditVersion);
  expect(report.runtimeError).toBeUndefined();
};

/** The four scores and six metrics that every version has. */
const numbersOf = ({ performance, accessibility, bestPractices, seo, fcp, si, lcp, tti, tbt, cls }: RunView) => [
  ...[performance, accessibility, bestPractices, seo],
  ...[fcp, si, lcp, tti, tbt, cls],
];
