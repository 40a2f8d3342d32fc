import { expect } from 'vitest';
import { majorOf } from '../../shared/audit-versions.ts';
import type { RunView } from '../../shared/run.ts';
import type { HostilePage } from './hostile-server.ts';
import { countedAttempts } from './service-audits.ts';

/** A page after a public bug report, and the expected result of its audit in every version. */
export type ReportedPage = HostilePage & {
  /** The address in the result. */
  finalUrl?: RegExp;
  /** The message of the error. */
  message?: RegExp;
  /** No warning and no message contains this. */
  never?: RegExp;
  /** No audit ends in an error, except those that do so on every page. */
  whole?: true | 'unless busy';
  /** The audit is not contended, because only the page itself was busy. */
  notContended?: true;
  /** The browser observed the first contentful paint after this time, in milliseconds. */
  observedFcpMs?: number;
  /** The result is the same while other processes use all CPUs. */
  atBusyTimes?: true;
};

/** The parts of a Lighthouse report that a result is compared with. */
export type Report = {
  finalDisplayedUrl?: string;
  audits: Record<string, { details?: { items?: { observedFirstContentfulPaint?: number }[] } } | undefined>;
};

/** Expects the result of a page. `reportOf` fetches the report of a run. */
export const expectReported = async (
  page: ReportedPage,
  run: RunView,
  reportOf: (run: RunView) => Promise<Report>,
): Promise<void> => {
  const { error, warnings, finalUrl, attempts } = run;
  const facts = JSON.stringify({ error, warnings, finalUrl, attempts });
  expect(page.verdicts, facts).toContain(error?.code ?? run.state);
  expect(error?.blame ?? 'page', facts).toBe('page');
  if (page.attempts) expect(countedAttempts(run), facts).toHaveLength(page.attempts);
  if (page.finalUrl) expect(finalUrl, facts).toMatch(page.finalUrl);
  if (page.warning) expect(warnings.join('\n'), facts).toMatch(page.warning);
  if (page.message) expect(error?.message, facts).toMatch(page.message);
  if (page.never) expect(facts).not.toMatch(page.never);
  const isBusy = warnings.some((text) => text.startsWith('Other programs used the CPU'));
  if (page.whole === true || (page.whole && !isBusy))
    expect(
      warnings.filter((text) => isErroredAudits(text, run)),
      facts,
    ).toEqual([]);
  if (page.notContended) expect(run.environment?.contended, facts).toBe(false);
  if (run.state !== 'succeeded') return;
  const report = await reportOf(run);
  const withFragment = report.finalDisplayedUrl; // version 9 has none
  if (withFragment) expect(finalUrl).toBe(withFragment);
  const observed = report.audits.metrics?.details?.items?.[0]?.observedFirstContentfulPaint ?? 0;
  expect(observed, facts).toBeGreaterThanOrEqual(page.observedFcpMs ?? 0);
};

/** Version 11 has errors in six audits on every page with today's Chromium. */
const isErroredAudits = (warning: string, { auditVersion }: RunView): boolean =>
  majorOf(auditVersion) !== '11' && /could not complete these audits/.test(warning);
