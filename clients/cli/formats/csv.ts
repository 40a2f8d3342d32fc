import { stringify } from 'csv-stringify/sync';
import type { CheckView } from '../../../shared/check.ts';
import type { RunView } from '../../../shared/run.ts';
import { csvOptions, csvRow } from '../../../shared/run-csv.ts';
import { throttlingOf } from '../../../shared/throttling.ts';
import type { CheckResult } from '../result.ts';

/** Returns the runs of the checks as CSV (RFC 4180), with the columns of `GET /v1/runs`. */
export const csvOf = (results: readonly CheckResult[]): string =>
  stringify(
    results.flatMap(({ check }) => check.runs.map((run) => rowOf(run, check))),
    csvOptions,
  );

const rowOf = (run: RunView, { id, labels }: CheckView) =>
  csvRow({
    ...run,
    checkId: id,
    labels,
    sampleCount: run.samples.length,
    errorCode: run.error?.code ?? null,
    contended: run.environment?.contended ?? null,
    benchmarkIndex: run.environment?.benchmarkIndex ?? null,
    throttling: throttlingOf(run),
    blockedUrlPatterns: run.environment?.blockedUrlPatterns ?? null,
  });
