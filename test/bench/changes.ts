import { loadavg } from 'node:os';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import type { CheckExplanation } from '../../shared/explanation/schema.ts';
import { interactionMetricId } from '../../shared/interactions/metric-ids.ts';
import { interactionMetricNames } from '../../shared/interactions/metrics.ts';
import { metricNames } from '../../shared/metrics/page-metrics.ts';
import { bundledFolder } from './bundled-folder.ts';
import { type ChangeName, changeNames, changes, searchInteraction, withInteractions } from './changed-pages.ts';
import { table } from './numbers.ts';
import type { Pages } from './pages.ts';
import { getJson, startService, succeededCheck } from './service.ts';

/** Audits of each variant. */
const PAIRS = 5;

/** One trial: a page against the page before its change, in turns. */
export type Trial = {
  change: ChangeName;
  /** Metrics with a verdict that they got worse, or better. */
  worse: string[];
  better: string[];
  /** True if the sentence of the explanation names the file that changed. */
  isExplained: boolean;
  /** Load average of the machine over the last minute. */
  load: number;
};

type Options = { pages: Pages; version: AuditVersion; runs: number; log: (line: string) => void };

const LIMIT_MS = 600_000;

/** Audits each changed page in turns with the page before, so many times. The changes of a round share the queue. */
export const measureChanges = async ({ pages, version, runs, log }: Options): Promise<Trial[]> => {
  await using service = await startService(await bundledFolder());
  const trialOf = async (change: ChangeName, round: number): Promise<Trial> => {
    const body = {
      url: pages.changed(change),
      auditVersion: version,
      regions: ['us-west1'],
      categories: ['performance'],
      samples: PAIRS,
      against: { url: pages.changed('shop') },
      ...(withInteractions.includes(change) && { interactions: [searchInteraction] }),
    };
    const { id, runs: found } = await succeededCheck(service, body, { pollMs: 500, limitMs: LIMIT_MS });
    const [run] = found;
    const having = (verdict: string) => [
      ...metricNames.filter((name) => run?.change?.[name].verdict === verdict),
      ...(run?.interactions ?? []).flatMap(({ name, change: changed }) =>
        interactionMetricNames
          .filter((metric) => changed?.[metric].verdict === verdict)
          .map((metric) => interactionMetricId({ interaction: name, metric })),
      ),
    ];
    const [worse, better] = [having('regressed'), having('improved')];
    const path = `${service.url}/v1/checks/${id}/explanation`;
    const explanation = worse.length > 0 ? await getJson<CheckExplanation>(path) : undefined;
    const sentence = explanation?.regions['us-west1']?.sentence ?? '';
    log(`changes ${round}/${runs}, ${change}: ${worse.join(', ') || 'nothing'} worse. ${sentence}`);
    const { names } = changes[change];
    const isExplained = names !== '' && sentence.includes(names);
    return { change, worse, better, isExplained, load: loadavg()[0] as number };
  };
  const trials: Trial[] = [];
  for (let round = 1; round <= runs; round++) {
    const ended = await Promise.allSettled(changeNames.map((change) => trialOf(change, round)));
    for (const each of ended) {
      if (each.status === 'fulfilled') trials.push(each.value);
      else log(`changes ${round}/${runs}: ${each.reason}`);
    }
  }
  if (trials.length === 0) throw new Error('No trial of a change succeeded.');
  return trials;
};

export const changesTable = (trials: readonly Trial[]): string => {
  const rows = changeNames.map((change) => {
    const own = trials.filter((trial) => trial.change === change);
    const count = (is: (trial: Trial) => boolean) => `${own.filter(is).length} of ${own.length}`;
    const expected: readonly string[] = changes[change].metrics;
    const isFound = ({ worse }: Trial) => worse.some((name) => expected.includes(name));
    return [
      changes[change].title,
      change === 'same' ? '–' : count(isFound),
      count(({ worse, better }) => better.length > 0 || (change === 'same' && worse.length > 0)),
      change === 'same' ? '–' : count(({ isExplained }) => isExplained),
      [...new Set(own.flatMap(({ worse }) => worse))].join(', ') || '–',
    ];
  });
  const loads = trials.map(({ load }) => load);
  return [
    table(['change', 'found', 'wrong verdict', 'explained', 'worse'], rows),
    `Load average during the trials: ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}.`,
  ].join('\n\n');
};
