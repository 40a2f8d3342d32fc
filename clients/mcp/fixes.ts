import type { Fix, FixItem } from '../../shared/fixes/fix.ts';
import type { RunView } from '../../shared/run.ts';
import { doubtText } from '../words/fixes.ts';
import { compact, fitted } from './fit.ts';
import { runPage } from './pages.ts';

type FixedRun = Pick<RunView, 'id' | 'url' | 'finalUrl' | 'region' | 'performance' | 'links'>;

/**
 * Returns what to fix first on the page of a run. `more` counts the fixes that have no room. Items and savings have the known
 * values only.
 */
export const fixesAnswer = (run: FixedRun, fixes: readonly Fix[], site: string, limit?: number) => {
  const { id, url, region, performance, links } = run;
  const build = (rows: number, entries: number) => ({
    runId: id,
    url,
    region,
    performance,
    page: runPage(site, links.check.split('/').at(-1) ?? '', id),
    fixes: fixes.slice(0, rows).map(({ items, savings, contended, ...fix }) => ({
      ...fix,
      ...(contended && { contended, warning: doubtText({ contended }) }),
      savings: compact(savings, 0) ?? {},
      items: named(items, run)
        .slice(0, entries)
        .map((item) => compact(item, 0)),
    })),
    more: fixes.length - rows,
  });
  return fitted({ build, rows: fixes.length, least: 1, limit });
};

/** Returns items that each name a file or an element. An audit without any is about the document. */
const named = (items: readonly FixItem[], { url, finalUrl }: FixedRun): readonly Partial<FixItem>[] => {
  const document = { url: finalUrl ?? url };
  if (items.length === 0) return [document];
  return items.map((item) => (item.url === null && item.selector === null ? { ...item, ...document } : item));
};
