import { expect } from 'vitest';
import { type AuditVersion, auditVersions, majorOf } from '../../shared/audit-versions.ts';
import type { RunView } from '../../shared/run.ts';
import { isFinished } from '../../shared/states.ts';
import { hostilePages, shortSet, shortSetOf9 } from '../pages/hostile/index.ts';
import { FULL } from './full.ts';
import { attemptsOn, type HostilePage } from './hostile-server.ts';
import { countedAttempts, type LocalService } from './service-audits.ts';

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

export const finishedRun = async (service: LocalService, id: string): Promise<RunView> => {
  const check = await service.until(id, ({ runs }) => runs.every(({ state }) => isFinished(state)), 1200);
  return check.runs[0] as RunView;
};

export const expectResult = async (page: HostilePage, run: RunView, service: LocalService) => {
  const { error, warnings } = run;
  const attempts = countedAttempts(run);
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
  // A stop rule leaves no code of Lighthouse. test/unit/hostile-replay.test.ts checks when it ends the audit.
  if (page.early) expect([attempts.length, error?.auditCode], facts).toEqual([1, null]);
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
