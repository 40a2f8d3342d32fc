import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { timedAtOnceOn } from '../../../functions/auditor/host/machine.ts';
import type { RunView } from '../../../shared/run.ts';
import { isFinished } from '../../../shared/states.ts';
import { documents } from '../../pages/hostile/documents.ts';
import { serveHostilePages } from '../../support/hostile-server.ts';
import { memoryGroup, noMemoryGroupHere } from '../../support/memory-group.ts';
import { servePages } from '../../support/pages.ts';
import { startLocally } from '../../support/service.ts';
import { unlessMissing } from '../../support/skips.ts';

const GIB = 2 ** 30;

describe('in a container with 4 GiB of a larger machine', unlessMissing(noMemoryGroupHere()), () => {
  let dataDir: string;
  let container: ReturnType<typeof memoryGroup>;
  let pages: Awaited<ReturnType<typeof servePages>>;
  let hostile: Awaited<ReturnType<typeof serveHostilePages>>;
  let service: Awaited<ReturnType<typeof startLocally>>;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'page-audit-data-'));
    container = memoryGroup(4 * GIB);
    pages = await servePages();
    hostile = await serveHostilePages(documents);
    service = await startLocally(dataDir, {}, container.enter);
  });
  afterAll(async () => {
    await service.stop();
    await Promise.all([pages.close(), hostile.close()]);
    container.remove();
    await rm(dataDir, { recursive: true });
  });

  const audit = async (url: string): Promise<RunView> => {
    const { id } = await service.post({ url, auditVersion: 'latest', regions: ['us-west1'] });
    const { runs } = await service.until(id, (check) => check.runs.every(({ state }) => isFinished(state)));
    return runs[0] as RunView;
  };

  test('the service prints how many audits fit into the container', () => {
    expect(service.output()).toContain(` ${timedAtOnceOn(availableParallelism(), 4 * GIB)} audit(s) at once.`);
  });

  test('a page that fills memory fails before the kernel kills a process, and the next audit succeeds', async () => {
    const run = await audit(await hostile.url('memory-buffers'));
    expect(run).toMatchObject({
      error: { code: 'page-too-large' },
      performance: null,
      environment: { memoryMiB: 4096 },
    });
    expect(await audit(pages.url('/perfect'))).toMatchObject({ error: null, accessibility: 100, seo: 100 });
    expect(container.killed()).toBe(0);
  });
});
