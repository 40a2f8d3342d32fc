import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckView } from '../../shared/check.ts';
import type { Client } from '../api/client.ts';
import type { Context } from './context.ts';
import { UsageError } from './exit-codes.ts';
import { withEscapes } from './formats/json.ts';
import { adviceOf } from './formats/notes.ts';
import { type FormatName, render } from './formats/render.ts';
import type { View } from './formats/terminal.ts';
import type { RunOptions } from './options.ts';
import { checkOutputs, writeOutput } from './output.ts';
import { isReportName, type NamedRun, reportNames } from './report-names.ts';
import type { CheckResult } from './result.ts';

type Options = Pick<RunOptions, 'format' | 'output' | 'data'>;

/** Throws a UsageError if two runs would have the same report file, or a file can't be written. */
export const checkReports = (runs: readonly NamedRun[], { format, output = [] }: Omit<Options, 'data'>): void => {
  if (format === 'html' && runs.length !== 1) {
    throw new UsageError(
      `--format html prints one report, but the command has ${runs.length} runs. Use --output {url}-{device}-{region}.html.`,
    );
  }
  checkOutputs(output.filter(isReportName).flatMap((template) => reportNames(template, runs)));
};

/** Returns the runs of checks, as far as the names of their reports need them. */
export const namedRuns = (
  checks: readonly { url: string; regions: readonly string[]; device?: string | undefined }[],
): NamedRun[] => checks.flatMap(({ url, regions, device }) => regions.map((region) => ({ url, region, device })));

/**
 * Writes the HTML report of each run to its files, and returns the results with the names of the files. Without a file, the
 * reports of a service whose data end with the command are written to a temporary folder. A failed write does not stop the
 * others.
 */
export const saveReports = async (
  client: Client,
  results: readonly CheckResult[],
  { output = [], format, data }: Options,
  signal: AbortSignal,
): Promise<{ results: CheckResult[]; errors: Error[] }> => {
  const templates = output.filter(isReportName);
  const runs = results.flatMap(({ check }) => check.runs.map((run) => ({ ...run, url: check.url })));
  const isLost = data === undefined && results.some(({ server }) => server === null);
  if (templates.length === 0 && format !== 'html' && isLost && runs.some(hasReport)) templates.push(temporaryFile());
  const names = templates.map((template) => reportNames(template, runs));
  const files: Record<string, string> = {};
  const errors: Error[] = [];
  for (const [i, run] of runs.entries()) {
    if (templates.length === 0 || !hasReport(run)) continue;
    try {
      const page = await reportPage(client, run.id, signal);
      for (const each of names) {
        const file = each[i] ?? '';
        await writeOutput(file, page);
        files[run.id] ??= file;
      }
    } catch (error) {
      signal.throwIfAborted();
      errors.push(error as Error);
    }
  }
  return { results: results.map((result) => ({ ...result, reportFiles: filesIn(result, files) })), errors };
};

const filesIn = ({ check }: CheckResult, files: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(check.runs.flatMap(({ id }) => (files[id] === undefined ? [] : [[id, files[id]]])));

const hasReport = ({ links }: CheckView['runs'][number]): boolean => links.report !== null;

const temporaryFile = (): string =>
  join(mkdtempSync(join(tmpdir(), 'page-audit-reports-')), '{url}-{device}-{region}.html');

/** Returns the HTML report of a run. No character of it steers a terminal. */
export const reportPage = async (client: Client, runId: string, signal: AbortSignal): Promise<string> =>
  withEscapes(await client.reportPage(runId, { signal }));

/** Returns the forms of results: the formats, and the HTML report of their only run. */
export const formsOf =
  (
    { signal, note }: Pick<Context, 'signal' | 'note'>,
    client: Client,
    results: readonly CheckResult[],
    renderAs = render,
  ) =>
  (format: FormatName | 'html', view: View): Promise<string> | string => {
    if (format !== 'html') return renderAs(results, format, view);
    const runs = results.flatMap(({ check }) => check.runs);
    const run = runs.find(hasReport);
    if (run) return reportPage(client, run.id, signal);
    for (const { region, state, error } of runs)
      note(`${region} has no report. ${error ? `${error.message} ${adviceOf(error)}` : `Its run is ${state}.`}`);
    return '';
  };
