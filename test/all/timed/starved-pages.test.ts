import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, test, vi } from 'vitest';
import { auditVersions } from '../../../shared/audit-versions.ts';
import { hostilePages, shortSet } from '../../pages/hostile/index.ts';
import { FULL } from '../../support/full.ts';
import { expectResult, finishedRun, pageOf } from '../../support/hostile-results.ts';
import { serveHostilePages } from '../../support/hostile-server.ts';
import { startLoops } from '../../support/loops.ts';
import { startLocally } from '../../support/service.ts';
import type { LocalService } from '../../support/service-audits.ts';

const MINUTES = 60_000;
vi.setConfig({ testTimeout: 20 * MINUTES, hookTimeout: 2 * MINUTES }); // a test also waits for the audits queued before its own

/** Pages for which a browser needs its time to answer, or of which an audit once lost an attempt. */
const starved = ['alert-fifty', 'alert-forever', 'confirm-to-stay', 'dialogs'];
/** Takes as long as all others, so it is the first. */
const longest = 'frames-900-in-turn';
const alwaysAudited = [longest, 'good', 'canvas-only', 'reset-mid-body', ...starved];
const names = FULL
  ? [...new Set([...alwaysAudited, ...shortSet])].filter((name) => !pageOf(name).alone)
  : alwaysAudited;

let loops: Disposable;
const ids = new Map<string, string>();
let dataDir: string;
let pages: Awaited<ReturnType<typeof serveHostilePages>>;
let service: LocalService;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'page-audit-data-'));
  pages = await serveHostilePages(hostilePages);
  service = await startLocally(dataDir, { AUDITS_AT_ONCE: '2', TIMED_AT_ONCE: '2' });
  loops = startLoops(4);
  for (const name of names) {
    const { categories } = pageOf(name);
    const auditVersion = auditVersions[0].version;
    const { id } = await service.post({ url: await pages.url(name), auditVersion, regions: ['us-west1'], categories });
    ids.set(name, id);
  }
});
afterAll(async () => {
  loops[Symbol.dispose]();
  await service.stop();
  await pages.close();
  await rm(dataDir, { recursive: true });
});

const rows = names.map((name) => ({ name, result: pageOf(name).verdicts.join(' or ') }));
test.each(rows)(
  'beside four busy loops, $name gives $result after as many attempts as on a free machine',
  async ({ name }) => {
    await expectResult(pageOf(name), await finishedRun(service, ids.get(name) as string), service);
  },
);
