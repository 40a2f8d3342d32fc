import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startCpuMeter } from '../../functions/auditor/host/cpu-meter.ts';
import { HARD_LIMIT_MS } from '../../functions/auditor/stop-rules.ts';
import { type AuditVersion, auditVersions, majorOf } from '../../shared/audit-versions.ts';
import { type Attempt, isFinished, type RunView } from '../../shared/run.ts';
import { answers } from '../pages/hostile/answers.ts';
import { busyPages } from '../pages/hostile/busy.ts';
import { documents } from '../pages/hostile/documents.ts';
import { moves } from '../pages/hostile/moves.ts';
import { sabotage } from '../pages/hostile/sabotage.ts';
import { FULL } from '../support/full.ts';
import { type Case, serveHostilePages } from '../support/hostile-server.ts';
import { servePages } from '../support/pages.ts';
import { remainsOf, startLocally } from '../support/service.ts';
import { expectFast } from '../support/speed.ts';

const MINUTES = 60_000;
vi.setConfig({ testTimeout: 20 * MINUTES, hookTimeout: 2 * MINUTES }); // a test waits for what was asked before its own

const cases: Record<string, Case> = { ...answers, ...moves, ...busyPages, ...documents, ...sabotage };
/**
 * The newest version audits the pages that must fail or be warned of, and the common ones; version 9, which is built
 * otherwise, the common ones; neither those that are slow. With FULL=1 the newest audits every page, version 9 all that
 * are not ordinary, and the others the common ones.
 */
const askedOf = (version: AuditVersion): [string, Case][] =>
  Object.entries(cases).filter(([, it]) => {
    const isNewest = version === newest;
    const isNine = majorOf(version) === '9';
    if (FULL) return isNewest || it.common || (isNine && !isOrdinary(it) && !it.not9);
    return !it.slow && (it.common ? isNewest || isNine : isNewest && !isOrdinary(it));
  });
const newest = auditVersions[0].version;
const isOrdinary = ({ verdicts, warning, alone }: Case) => String(verdicts) === 'succeeded' && !warning && !alone;
const inPart = FULL ? '' : ' (not every page: npm run test:full audits all)';

/**
 * A failure that is certain is told so soon after the server was asked. Where there is no server an attempt is timed as a
 * whole: with four at work, each is slower than alone. Lighthouse's patience ends after 36 s.
 */
const EARLY_SECONDS = { ofRequest: 5, free: 15, contended: 30 };

type Hostile = Awaited<ReturnType<typeof serveHostilePages>>;
type Service = Awaited<ReturnType<typeof startLocally>>;

describe(`a hostile page is judged by what it does${inPart}`, () => {
  type Answer = { refusedWith: string } | { id: string; url: string };
  const asked = new Map<string, Answer>();
  const togetherOf = (version: AuditVersion) => askedOf(version).filter(([, it]) => !it.alone);
  let dataDir: string;
  let pages: Hostile;
  let service: Service;

  const post = async (name: string, auditVersion: AuditVersion): Promise<Answer> => {
    const { categories } = cases[name] as Case;
    const url = await pages.url(name);
    const body = JSON.stringify({ url, auditVersion, regions: ['us-west1'], categories });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${service.url}/v1/checks`, { method: 'POST', headers, body });
    const said = (await answer.json()) as { id: string; code: string };
    return answer.status === 201 ? { id: said.id, url } : { refusedWith: said.code };
  };

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'page-audit-data-'));
    pages = await serveHostilePages(cases);
    service = await startLocally(dataDir, { AUDITS_AT_ONCE: '4', TIMED_AT_ONCE: '4', RETAKES: '0' });
    for (const version of versions) {
      for (const [name] of togetherOf(version)) asked.set(`${name} ${version}`, await post(name, version));
    }
  });
  afterAll(async () => {
    await service.stop();
    await pages.close();
    await rm(dataDir, { recursive: true });
  });

  const versions = auditVersions.map(({ version }) => version).filter((version) => togetherOf(version).length > 0);
  describe.each(versions)('audit version %s', (version) => {
    const named = togetherOf(version).map(([name, it]) => ({ name, it, gives: it.verdicts.join(' or ') }));
    test.each(named)('$name: $it.is gives $gives', async ({ name, it }) => {
      const answer = asked.get(`${name} ${version}`) as Answer;
      if ('refusedWith' in answer) return expect(it.verdicts).toContain(answer.refusedWith);
      await isJudgedRightly(it, await finishedRun(service, answer.id), service, pages.askedAt(answer.url));
    });
  });

  test('after all of them only the auditor that waits for work is left', async () => {
    await onlyAnAuditorWaits(service);
  });
});

describe(`a hostile page leaves nothing to the next one${inPart}`, () => {
  const worst = auditVersions.flatMap(({ version }) =>
    askedOf(version).flatMap(([name, it]) => (it.alone ? [{ name, version, it }] : [])),
  );
  let dataDir: string;
  let hostile: Hostile;
  let pages: Awaited<ReturnType<typeof servePages>>;
  let service: Service;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'page-audit-data-'));
    hostile = await serveHostilePages(cases);
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

  test.each(worst)(
    'after $name in $version a perfect page has full marks, and only the auditor that waits for work is left',
    async ({ name, version, it }) => {
      const readCpu = startCpuMeter(service.pid);
      const judged = await audit(await hostile.url(name), version);
      await isJudgedRightly(it, judged, service);
      const undisturbed = (readCpu()?.stolen ?? 0) < 0.03; // by a hypervisor, which is told as contended, and rightly
      if (it.attempts && undisturbed) expect(judged.attempts.map(({ contended }) => contended)).not.toContain(true);
      const perfect = () => audit(pages.url('/perfect'), newest);
      const run = await perfect();
      expect(run).toMatchObject({ error: null, accessibility: 100, bestPractices: 100, seo: 100 });
      await expectFast(run, perfect, 95);
      await onlyAnAuditorWaits(service);
    },
  );
});

const finishedRun = async (service: Service, id: string): Promise<RunView> => {
  const check = await service.until(id, ({ runs }) => runs.every(({ state }) => isFinished(state)), 1200);
  return check.runs[0] as RunView;
};

const onlyAnAuditorWaits = async (service: Service): Promise<void> => {
  // The last audit's folder goes when its last process has: a moment after the run's end.
  await expect.poll(() => remainsOf(service.pid).folders, { timeout: 10_000 }).toHaveLength(1);
  const { processes } = remainsOf(service.pid);
  expect(processes.map(({ command }) => command.includes('child.ts'))).toEqual([true]);
};

const isJudgedRightly = async (it: Case, run: RunView, service: Service, askedAt?: number): Promise<void> => {
  const { error, attempts, warnings } = run;
  const told = JSON.stringify({ error, attempts, warnings });
  expect(it.verdicts, told).toContain(error?.code ?? run.state);
  expect(run.finalUrl ?? '').not.toMatch(/^chrome-error:/);
  if (it.attempts) expect(attempts.length, told).toBe(it.attempts);
  if (error) {
    expect({ blame: error.blame, numbers: numbersOf(run).filter((number) => number !== null) }).toEqual({
      blame: 'page',
      numbers: [],
    });
  } else {
    const asked = it.categories?.map((category) => run[category as 'accessibility' | 'seo']);
    expect(asked ?? numbersOf(run), told).not.toContain(null);
    expect(run.finalUrl).toMatch(/^https?:/);
    if (it.warning) expect(warnings.join('\n')).toMatch(it.warning);
    const [before, warning] = it.warningBefore ?? [0, /./];
    if (Number(majorOf(run.auditVersion)) < before) expect(warnings.join('\n')).toMatch(warning);
    const answer = await fetch(`${service.url}/v1/audit/runs/${run.id}/report`);
    const report = (await answer.json()) as { auditVersion: string; runtimeError?: unknown };
    expect(report.auditVersion).toBe(run.auditVersion);
    expect(report.runtimeError).toBeUndefined();
  }
  for (const { seconds } of attempts) {
    expect(seconds, told).toBeLessThan(Math.min(it.seconds ?? Infinity, HARD_LIMIT_MS / 1000 + 5));
  }
  if (it.early) {
    expect(attempts.length, told).toBe(1);
    const { seconds, finishedAt, contended } = attempts[0] as Attempt;
    if (askedAt) expect((Date.parse(finishedAt) - askedAt) / 1000, told).toBeLessThan(EARLY_SECONDS.ofRequest);
    else expect(seconds, told).toBeLessThan(EARLY_SECONDS[contended ? 'contended' : 'free']);
  }
};

/** The four scores and six metrics that every version has. */
const numbersOf = ({ performance, accessibility, bestPractices, seo, fcp, si, lcp, tti, tbt, cls }: RunView) => [
  ...[performance, accessibility, bestPractices, seo],
  ...[fcp, si, lcp, tti, tbt, cls],
];
