import type { RunItem } from '../../functions/lib/store/items.ts';
import type { AssertionResult } from '../../shared/assertions/assertions.ts';
import type { Environment } from '../../shared/environment.ts';
import { noMetrics, spreadOf } from '../../shared/metrics/page-metrics.ts';
import type { SimulatedLoad } from '../../shared/options/simulated-loads.ts';
import { type RunProblemCode, runError } from '../../shared/problems.ts';
import { environment } from './environment.ts';
import { aCheck, type World } from './world.ts';

/** Result of a run: its LCP in each sample in milliseconds, or why it failed. */
export type Result =
  | {
      lcps: readonly number[];
      performance?: number;
      warnings?: string[];
      contended?: boolean;
      environment?: Partial<Environment>;
      simulations?: SimulatedLoad[];
      assertions?: AssertionResult[];
      interactions?: RunItem['interactions'];
      blockedHost?: string;
      finalUrl?: string;
    }
  | { failed: RunProblemCode };

/** Finishes a run as an auditor does. */
export const finishRun = async (world: World, run: RunItem, result: Result, report?: RunItem['report']) => {
  const startedAt = new Date().toISOString();
  const attempt = { number: 1, startedAt, finishedAt: startedAt, seconds: 7.1, auditCode: null, contended: false };
  if ('failed' in result) {
    const error = runError(result.failed);
    return world.finish(run, { state: 'failed', error, attempts: [{ ...attempt, code: result.failed }] });
  }
  await world.finish(run, {
    ...measured(result),
    attempts: result.lcps.map((_, i) => ({ ...attempt, number: i + 1, code: null })),
    blockedRequests: [{ host: result.blockedHost ?? '10.0.0.1', port: 80, reason: 'private address', count: 2 }],
    blockedRequestCount: 2,
    ...(report && { report }),
  });
};

/** Returns what an auditor stores of a run that succeeded. */
export const measured = (result: Exclude<Result, { failed: unknown }>) => {
  const { lcps, performance = 92, warnings = [], contended = false, simulations, assertions, finalUrl } = result;
  const { interactions } = result;
  const scores = { performance, accessibility: 78, bestPractices: 100, seo: 40 };
  const samples = lcps.map((lcp) => ({
    ...noMetrics,
    ...scores,
    lcp,
    fcp: lcp,
    tbt: 120,
    cls: 0.02,
    cpuBusy: 0,
    contended,
  }));
  const { cpuBusy: _, contended: __, ...metrics } = samples[0] ?? { ...noMetrics, cpuBusy: 0, contended };
  return {
    state: 'succeeded' as const,
    ...metrics,
    samples,
    spread: spreadOf(samples),
    warnings,
    ...(simulations && { simulations }),
    ...(assertions && { assertions }),
    ...(interactions && { interactions }),
    ...(finalUrl && { finalUrl }),
    environment: { ...environment, contended, ...result.environment },
  };
};

/** Creates a check whose runs have these results, in the order of its regions. Returns its id and its runs. */
export const finishedCheck = async (world: World, inputs: Parameters<typeof aCheck>[0], results: readonly Result[]) => {
  const check = aCheck({ regions: ['us-west1', 'europe-north1'], samples: 3, ...inputs });
  const runs = await world.create(check);
  for (const [i, run] of runs.entries()) await finishRun(world, run, results[i] as Result);
  return { id: check.id, runs };
};
