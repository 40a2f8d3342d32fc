import { expect } from 'vitest';
import { HARD_LIMIT_MS } from '../../functions/auditor/stop-rules.ts';
import { type AuditVersion, auditVersions, majorOf } from '../../shared/audit-versions.ts';
import { type Attempt, isFinished, type RunView } from '../../shared/run.ts';
import { hostilePages, shortSet, shortSetOf9 } from '../pages/hostile/index.ts';
import { FULL } from './full.ts';
import { attemptsOn, type HostilePage } from './hostile-server.ts';
import type { LocalService } from './service-audits.ts';

const newest = auditVersions[0].version;

/**
 * Names of the pages that a version audits. In `npm run test:full` the newest version audits every page, version 9 all
 * pages with an unusual result, and the others the common ones.
 */
export const namesFor = (version: AuditVersion): readonly string[] => {
  const isNine = majorOf(version) === '9';
  if (!FULL) return version === newest ? shortSet : isNine ? shortSetOf9 : [];
  const isUnusual = ({ verdicts, warning, alone }: HostilePage) =>
    String(verdicts) !== 'succeeded' || warning !== undefined || alone === true;
  return Object.entries(hostilePages)
    .filter(([, page]) => version === newest || page.common || (isNine && isUnusual(page) && !page.not9))
    .map(([name]) => name);
};

export const pageOf = (name: string): HostilePage => {
  const page = hostilePages[name];
  if (!page) throw new Error(`There is no hostile page ${name}.`);
  return page;
};

/**
 * Time limits for an early failure, in seconds. `ofRequest` counts from the request to the page's server. Without a server
 * the limit applies to the whole attempt. Other audits run beside this one, and Lighthouse would wait for 36 s.
 */
const EARLY_SECONDS = { ofRequest: 15, ofAttempt: 30 };

export const finishedRun = async (service: LocalService, id: string): Promise<RunView> => {
  const check = await service.until(id, ({ runs }) => runs.every(({ state }) => isFinished(state)), 1200);
  return check.runs[0] as RunView;
};

export const expectResult = async (page: HostilePage, run: RunView, service: LocalService, requestedAt?: number) => {
  const { error, attempts, warnings } = run;
  const facts = JSON.stringify({ error, attempts, warnings });
  expect(page.verdicts, facts).toContain(error?.code ?? run.state);
  expect(run.finalUrl ?? '').not.toMatch(/^chrome-error:/);
  const expected = attemptsOn(page);
  if (expected) expect(attempts.length, facts).toBe(expected);
  if (page.warning && (!error || !page.verdicts.includes('succeeded'))) {
    expect(warnings.join('\n'), facts).toMatch(page.warning);
  }
  if (error) expectFailure(run);
  else await expectSuccess(page, run, service);
  for (const { seconds, contended } of attempts) {
    const limit = (page.seconds ?? Infinity) + (contended ? 15 : 0); // other audits delayed this one
    expect(seconds, facts).toBeLessThan(Math.min(limit, HARD_LIMIT_MS / 1000 + 5));
  }
  if (page.early) {
    expect(attempts.length, facts).toBe(1);
    const { seconds, finishedAt } = attempts[0] as Attempt;
    if (requestedAt) expect((Date.parse(finishedAt) - requestedAt) / 1000, facts).toBeLessThan(EARLY_SECONDS.ofRequest);
    else expect(seconds, facts).toBeLessThan(EARLY_SECONDS.ofAttempt);
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
