import { expect } from 'vitest';
import type { RunView } from '../../shared/run.ts';
import { isFinished } from '../../shared/states.ts';
import type { Pages } from './pages.ts';
import { auditorsOf, browsersOf, processesWith, remainsOf, type startLocally, waitFor } from './service.ts';

export type LocalService = Awaited<ReturnType<typeof startLocally>>;

export const perfectCheck = (pages: Pages, regions = ['us-west1']) => ({
  url: pages.url('/perfect'),
  auditVersion: 'latest',
  regions,
});

/** A check whose audits take half the time, for tests that read no score. */
export const quickCheck = (pages: Pages, regions?: string[]) => ({
  ...perfectCheck(pages, regions),
  categories: ['seo'],
});

/** Returns a check when all its runs are finished. */
export const finishedCheck = (service: LocalService, id: string) =>
  service.until(id, (check) => check.runs.every((run) => isFinished(run.state)));

/** Returns the attempts of a run without a sample that was retaken, because a busy machine may cause a retake. */
export const countedAttempts = ({ attempts }: Pick<RunView, 'attempts'>) =>
  attempts.filter(({ code, contended }, i) => code !== null || !contended || i === attempts.length - 1);

export const codesOf = (run?: RunView) => run && countedAttempts(run).map(({ code }) => code);

/** Starts an audit. Returns its check, its auditor and its browser when the browser has requested the page. */
export const auditUnderWay = async (service: LocalService, pages: Pages, regions?: string[]) => {
  await waitFor(() => remainsOf(service.pid).folders.length <= 1 || undefined); // the previous audit may still be ending
  pages.hits.clear();
  const { id } = await service.post(quickCheck(pages, regions));
  await waitFor(() => pages.hits.get('/perfect'));
  const [browser] = browsersOf(service.pid);
  if (!browser) throw new Error('The page was requested, but the service has no browser.');
  const [folder = ''] = browser.command.match(`page-audit-${service.pid}-\\w+`) ?? [];
  const auditor = processesWith(folder).find(({ command }) => /child\.(ts|mjs) /.test(command));
  if (!auditor) throw new Error('The browser has no auditor.');
  return { id, auditor, browser };
};

/** Expects that an idle service has the auditor for the next audit, with its browser, and no other process. */
export const expectOnlyIdleAuditor = async (service: LocalService): Promise<void> => {
  // The service deletes the folder of the last audit a moment after the run ends.
  const remaining = () => {
    const { pid } = service;
    return [remainsOf(pid).folders, auditorsOf(pid), browsersOf(pid)].map(({ length }) => length);
  };
  await expect.poll(remaining).toEqual([1, 1, 1]);
};
