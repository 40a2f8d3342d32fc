import type { RunItem } from '../../functions/lib/store/items.ts';
import type { AssertionResult } from '../../shared/assertions/assertions.ts';
import type { Environment } from '../../shared/environment.ts';
import { noMetrics, spreadOf } from '../../shared/metrics/page-metrics.ts';
import type { SteadyLoad } from '../../shared/metrics/steady-load.ts';
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
      loads?: SteadyLoad[];
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
  const samples = lcps.map((lcp, i) => ({
    ...noMetrics,
    ...scores,
    lcp,
    fcp: lcp,
    tbt: 120,
    cls: 0.02,
    cpuBusy: 0,
    contended,
    ...(result.loads && { steady: result.loads[i] }),
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

/**
 * Creates two checks of a page. In the second one, all work takes a third longer and that of a script twice as long. The
 * largest paint comes after another script more often.
 */
export const slowedPair = async (world: World) => {
  const [browser, katex] = [{ rest: 100, layout: 40, parsing: 20, style: 15 }, '/katex.min.js'];
  const loads = [1, 1.01, 0.99].map((noise, i) => ({ noise, i }));
  const checkOf = async (slower: number, scriptMs: number, followed: number) => {
    const steady = loads.map(({ noise, i }): SteadyLoad => {
      const work = Object.entries(browser).map(([name, ms]) => ({ name, isScript: false, ms: ms * slower * noise }));
      const scripts = [{ name: katex, began: i < followed ? ('beforeLcp' as const) : ('later' as const) }];
      const times = { device: 'mobile' as const, fcp: 900, lcp: 1600, tbt: 120 };
      return { ...times, scripts, work: [{ name: '/small.js', isScript: true, ms: scriptMs * noise }, ...work] };
    });
    const lcps = loads.map(() => 1600 * slower);
    const { id } = await finishedCheck(world, { regions: ['us-west1'] }, [{ lcps, loads: steady }]);
    return id;
  };
  return { base: await checkOf(1, 30, 1), check: await checkOf(1.33, 60, 2) };
};

/** Texts of the comparison of these checks. */
export const slowedTexts = {
  work: '/small.js works 50 % longer: 30 ms of CPU time in the base, 60 ms in the check.',
  orders: 'LCP came after /katex.min.js in 1 of 3 loads of the base, and in 2 of 3 of the check.',
  reason: 'Nearly all work of the page took longer in one of the checks',
};
