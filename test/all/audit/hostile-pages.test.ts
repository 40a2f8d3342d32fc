import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { membersOf } from '../../../functions/auditor/host/processes.ts';
import { auditors } from '../../../functions/auditor/parent/auditors.ts';
import type { AuditResult } from '../../../functions/auditor/verdict/judge.ts';
import type { AuditVersion } from '../../../shared/audit-versions.ts';
import { hostilePages } from '../../pages/hostile/index.ts';
import { auditorDir } from '../../support/auditor-dir.ts';
import { testChromium } from '../../support/chromium-dir.ts';
import { expectResult, finishedRun, namesFor, pageOf } from '../../support/hostile-results.ts';
import { serveHostilePages } from '../../support/hostile-server.ts';
import { majorVersions } from '../../support/major-versions.ts';
import { anOrder } from '../../support/order.ts';
import { commandOf } from '../../support/processes.ts';
import { processesWith, startLocally } from '../../support/service.ts';
import { expectOnlyIdleAuditor, type LocalService } from '../../support/service-audits.ts';

const MINUTES = 60_000;
vi.setConfig({ testTimeout: 20 * MINUTES, hookTimeout: 2 * MINUTES }); // a test also waits for the audits queued before its own

const everyVersion = majorVersions.map(({ version }) => version);

/** Audits a page whose renderers are stopped once it is measured. It runs beside the other audits. */
const auditStopped = async (): Promise<AuditResult> => {
  const pages = await serveHostilePages(hostilePages);
  const lab = auditors({
    targets: { targets: 'local', ports: [] },
    ...testChromium(),
    auditorDir: await auditorDir(),
  });
  const stopRenderers = () => {
    const [auditor] = processesWith(`page-audit-${process.pid}-`);
    const renderers = membersOf(auditor?.pid as number).filter((pid) => commandOf(pid).includes('--type=renderer'));
    for (const pid of renderers) process.kill(pid, 'SIGSTOP');
  };
  const order = anOrder({ url: await pages.url('good'), auditVersion: everyVersion[0] as AuditVersion });
  try {
    return await lab.audit(order, new AbortController().signal, {
      onEvent: ({ type }) => type === 'measured' && stopRenderers(),
    });
  } finally {
    await lab.close();
    await pages.close();
  }
};
let ofStopped: Promise<AuditResult>;
beforeAll(() => {
  ofStopped = auditStopped();
  ofStopped.catch(() => {}); // its test reports it
});

describe('a hostile page', () => {
  type Created = { rejectedWith: string } | { id: string };
  const created = new Map<string, Created>();
  const together = (version: AuditVersion) => namesFor(version).filter((name) => !pageOf(name).alone);
  const versions = everyVersion.filter((version) => together(version).length > 0);
  let dataDir: string;
  let pages: Awaited<ReturnType<typeof serveHostilePages>>;
  let service: LocalService;

  const create = async (name: string, auditVersion: AuditVersion): Promise<Created> => {
    const { categories } = pageOf(name);
    const url = await pages.url(name);
    const body = JSON.stringify({ url, auditVersion, regions: ['us-west1'], categories });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${service.url}/v1/checks`, { method: 'POST', headers, body });
    const { id, code } = (await response.json()) as { id: string; code: string };
    return response.status === 201 ? { id } : { rejectedWith: code };
  };

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'page-audit-data-'));
    pages = await serveHostilePages(hostilePages);
    service = await startLocally(dataDir, { AUDITS_AT_ONCE: '4', TIMED_AT_ONCE: '4' });
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
      await expectResult(page, await finishedRun(service, check.id), service);
    });
  });

  test('leaves no process: the only one is the auditor for the next audit', async () => {
    await expectOnlyIdleAuditor(service);
  });
});

test('a page whose renderer was stopped is not to blame', async () => {
  const result = await ofStopped;
  expect(result).toMatchObject({
    state: 'failed',
    error: { code: 'protocol-timeout', auditCode: 'BROWSER_FROZEN', blame: 'service', retryable: true },
  });
});
