import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { HARD_LIMIT_MS } from '../../functions/auditor/auditors.ts';
import { type AuditVersion, auditVersions, majorOf } from '../../shared/audit-versions.ts';
import { isFinished, type Run } from '../../shared/run.ts';
import { answers } from '../pages/hostile/answers.ts';
import { busyPages } from '../pages/hostile/busy.ts';
import { documents } from '../pages/hostile/documents.ts';
import { moves } from '../pages/hostile/moves.ts';
import { sabotage } from '../pages/hostile/sabotage.ts';
import { type Case, serveHostilePages } from '../support/hostile-server.ts';
import { servePages } from '../support/pages.ts';
import { remainsOf, startLocally } from '../support/service.ts';

const MINUTES = 60_000;
vi.setConfig({ testTimeout: 20 * MINUTES, hookTimeout: 2 * MINUTES }); // a test waits for what was asked before its own

const cases: Record<string, Case> = { ...answers, ...moves, ...busyPages, ...documents, ...sabotage };
const isOrdinary = ({ verdicts, warning }: Case) => String(verdicts) === 'succeeded' && !warning;

/** The newest audits every page, 9 (which is built otherwise) those that are not ordinary, the others the common ones. */
const askedOf = (version: AuditVersion): [string, Case][] =>
  Object.entries(cases).filter(([, it]) => {
    if (version === auditVersions[0].version || it.common) return true;
    return majorOf(version) === '9' && !isOrdinary(it) && !it.not9;
  });

/** Where six audits are at work, each is slower than alone. Lighthouse's patience ends after 36 s. */
const EARLY_SECONDS = 15;

describe('a hostile page is judged by what it does', () => {
  type Answer = { refusedWith: string } | { id: string };
  const asked = new Map<string, Answer>();
  let dataDir: string;
  let pages: Awaited<ReturnType<typeof serveHostilePages>>;
  let service: Awaited<ReturnType<typeof startLocally>>;

  const post = async (name: string, auditVersion: AuditVersion): Promise<Answer> => {
    const body = JSON.stringify({ url: await pages.url(name), auditVersion, regions: ['us-west1'] });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${service.url}/v1/checks`, { method: 'POST', headers, body });
    const said = (await answer.json()) as { id: string; code: string };
    return answer.status === 201 ? { id: said.id } : { refusedWith: said.code };
  };

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'page-audit-data-'));
    pages = await serveHostilePages(cases);
    service = await startLocally(dataDir, { AUDITS_AT_ONCE: '6', TIMED_AT_ONCE: '6', RETAKES: '0' });
    for (const { version } of auditVersions) {
      for (const [name] of askedOf(version)) asked.set(`${name} ${version}`, await post(name, version));
    }
  });
  afterAll(async () => {
    await service.stop();
    await pages.close();
    await rm(dataDir, { recursive: true });
  });

  describe.each(auditVersions.map(({ version }) => version))('audit version %s', (version) => {
    test.each(askedOf(version))('%s: $1.is gives $1.verdicts', async (name, it) => {
      const answer = asked.get(`${name} ${version}`) as Answer;
      if ('refusedWith' in answer) return expect(it.verdicts).toContain(answer.refusedWith);

      const check = await service.until(answer.id, ({ runs }) => runs.every(({ state }) => isFinished(state)), 1200);
      const [run] = check.runs as [Run];
      const { error, attempts, warnings } = run;
      const told = JSON.stringify({ error, attempts, warnings });
      expect(it.verdicts, told).toContain(error?.code ?? run.state);
      if (error)
        expect({ blame: error.blame, numbers: numbersOf(run).filter((number) => number !== null) }).toEqual({
          blame: 'page',
          numbers: [],
        });
      else {
        expect(numbersOf(run), told).not.toContain(null);
        expect(run.finalUrl).toMatch(/^https?:/);
        if (it.warning) expect(warnings.join('\n')).toMatch(it.warning);
        const report = await fetch(`${service.url}/v1/audit/runs/${run.id}/report`);
        expect(await report.json()).toMatchObject({ auditVersion: version, runtimeError: undefined });
      }
      const limit = Math.min(it.early ? EARLY_SECONDS : Infinity, it.seconds ?? Infinity, HARD_LIMIT_MS / 1000 + 5);
      for (const { seconds } of attempts) expect(seconds, told).toBeLessThan(limit);
    });
  });
});

describe('a hostile page leaves nothing to the next one', () => {
  const worst = [
    ...['memory-buffers', 'endless-body', 'gzip-bomb-html', 'iframe-recursion', 'reload-loop', 'spin-forever'],
    ...['popups', 'dialogs', 'workers-50'],
  ];
  let dataDir: string;
  let hostile: Awaited<ReturnType<typeof serveHostilePages>>;
  let pages: Awaited<ReturnType<typeof servePages>>;
  let service: Awaited<ReturnType<typeof startLocally>>;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'page-audit-data-'));
    hostile = await serveHostilePages(cases);
    pages = await servePages();
    service = await startLocally(dataDir);
  });
  afterAll(async () => {
    await service.stop();
    await pages.close();
    await hostile.close();
    await rm(dataDir, { recursive: true });
  });

  const audit = async (url: string): Promise<Run> => {
    const { id } = await service.post({ url, auditVersion: 'latest', regions: ['us-west1'] });
    const check = await service.until(id, ({ runs }) => runs.every(({ state }) => isFinished(state)), 400);
    return check.runs[0] as Run;
  };

  test.each(worst)(
    'after %s a perfect page has full marks, and only the auditor that waits for work is left',
    async (name) => {
      await audit(await hostile.url(name));
      const run = await audit(pages.url('/perfect'));
      expect(run).toMatchObject({ error: null, accessibility: 100, bestPractices: 100, seo: 100 });
      expect(run.performance).toBeGreaterThanOrEqual(95);
      // The last audit's folder goes when its last process has: a moment after the run's end.
      await expect.poll(() => remainsOf(service.pid).folders, { timeout: 10_000 }).toHaveLength(1);
      const { processes } = remainsOf(service.pid);
      expect(processes.map(({ command }) => command.includes('child.ts'))).toEqual([true]);
    },
  );
});

/** The four scores and six metrics that every version has. */
const numbersOf = ({ performance, accessibility, bestPractices, seo, fcp, si, lcp, tti, tbt, cls }: Run) => [
  ...[performance, accessibility, bestPractices, seo],
  ...[fcp, si, lcp, tti, tbt, cls],
];
