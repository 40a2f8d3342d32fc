import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { AuditOrder } from '../../functions/auditor/messages.ts';
import { type AuditResult, emptyResult } from '../../functions/auditor/verdict/judge.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import type { Variant } from '../../shared/options/variants.ts';
import { runError } from '../../shared/problems.ts';
import type { Random } from './random.ts';
import { contexts } from './timeline.ts';

const results = { succeeds: 12, 'page fails': 4, 'browser crashes': 3, throws: 1, 'times out': 1 };

/** End of an audit: its variant, and its result, or `internal` if the auditor threw. */
export type Audited = { variant: Variant; code: string | null; result: AuditResult | undefined };

/** The second variant of a simulated check. By its device, an auditor knows which variant it audits. */
export const simulatedAgainst = { device: 'desktop' } as const;
/** The audits that each invocation of a worker has ended, in their order. */
export type Audits = WeakMap<object, Audited[]>;

/** Auditors whose results are drawn. Each sample has metrics and a report of its own, by which it is recognised. */
export const simulatedAuditors = (random: Random, audits: Audits) => ({
  audit: async ({ options }: Pick<AuditOrder, 'options'>, signal: AbortSignal): Promise<AuditResult> => {
    const drawn = random.weighted(results);
    const seconds = drawn === 'times out' ? 120 : random.between(1, 110);
    await sleep(seconds * 1000, undefined, { signal });
    const result = resultOf(drawn, random);
    const invocation = contexts.getStore()?.invocation as object;
    const code = result === undefined ? 'internal' : result.state === 'failed' ? result.error.code : null;
    const variant = options.device === simulatedAgainst.device ? 'against' : 'own';
    audits.set(invocation, [...(audits.get(invocation) ?? []), { variant, code, result }]);
    if (!result) throw new Error('the auditor could not start');
    return result;
  },
});

/** Returns undefined for an auditor that throws. */
const resultOf = (drawn: keyof typeof results, random: Random): AuditResult | undefined => {
  if (drawn === 'throws') return undefined;
  const json = JSON.stringify({ fetchTime: random.uuid(), configSettings: {}, categories: {}, audits: {} });
  const report = { gzip: gzipSync(json), bytes: json.length };
  const failed = (code: Parameters<typeof runError>[0]) => ({
    ...emptyResult,
    state: 'failed' as const,
    error: runError(code),
  });
  if (drawn === 'browser crashes') return failed('browser-crashed');
  if (drawn === 'times out') return failed('audit-timeout');
  if (drawn === 'page fails') return { ...failed('http-error'), report };
  const [performance, fcp] = [random.between(0, 100), random.between(0, 2 ** 30)];
  const metrics = { ...noMetrics, performance, fcp, tti: fcp + random.between(0, 9999) };
  return { ...emptyResult, state: 'succeeded', metrics, report };
};

/** A report of a simulated audit. Its time names the audit. A run may name a report that has parts of its first sample. */
export type SimulatedReport = { fetchTime: string; steadyParts?: { sample: number; fetchTime: string } };

export const readReport = (gzip: Buffer): SimulatedReport => JSON.parse(gunzipSync(gzip).toString());
