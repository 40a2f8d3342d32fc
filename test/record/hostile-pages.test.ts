import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditors } from '../../functions/auditor/parent/auditors.ts';
import { auditVersions } from '../../shared/audit-versions.ts';
import { DEFAULT_PORTS } from '../../shared/service/env.ts';
import { hostilePages } from '../pages/hostile/index.ts';
import { testChromium } from '../support/chromium-dir.ts';
import { type HostilePage, serveHostilePages } from '../support/hostile-server.ts';
import { anOrder } from '../support/order.ts';
import { type RecordedAudit, recordAudit, writeRecording } from '../support/recording.ts';
import { replayRun } from '../support/replay.ts';

const lab = auditors({
  targets: { targets: 'local', ports: DEFAULT_PORTS },
  ...testChromium(),
  timedAtOnce: 2,
});
let pages: Awaited<ReturnType<typeof serveHostilePages>>;
beforeAll(async () => {
  pages = await serveHostilePages(hostilePages);
  await lab.prepare();
});
afterAll(async () => {
  await lab.close();
  await pages.close();
});

const recordRun = async ({ name, page }: { name: string; page: HostilePage }) => {
  const audits: RecordedAudit[] = [];
  const { categories } = page;
  let { step } = replayRun(audits);
  while (step.do === 'audit') {
    const order = anOrder({
      url: await pages.url(name),
      auditVersion: auditVersions[0].version,
      skipOptionalParts: step.skipOptionalParts,
      ...(categories && { categories: [...categories] }),
    });
    audits.push(await recordAudit(lab, order));
    step = replayRun(audits).step;
  }
  const result = step.do === 'finish' ? step.result : undefined;
  const code = result?.state === 'failed' ? result.error.code : result?.state;
  expect(page.verdicts, JSON.stringify(result)).toContain(code);
  writeRecording(name, audits);
};

const rows = Object.entries(hostilePages).map(([name, page]) => ({ name, page }));
describe.concurrent('beside others', () => {
  test.each(rows.filter(({ page }) => !page.alone))('records $name', recordRun);
});
describe('alone', () => {
  test.each(rows.filter(({ page }) => page.alone))('records $name', recordRun);
});
