import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckView } from '../../../shared/check.ts';
import type { ArtifactName } from '../../../shared/options/artifacts.ts';
import type { Client } from '../../api/client.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../exit-codes.ts';
import type { RunOptions } from '../flags/options.ts';
import { withEscapes } from '../formats/json.ts';
import { adviceOf } from '../formats/notes.ts';
import { checkOutputs, writeOutput } from '../formats/output.ts';
import { type FormatName, render } from '../formats/render.ts';
import { isRunFile, type NamedRun, type RunFile, reportNames, runFileOf } from '../formats/report-names.ts';
import type { View } from '../formats/terminal.ts';
import type { CheckResult } from './result.ts';

type Options = Pick<RunOptions, 'format' | 'output' | 'data'>;

/** Throws a UsageError if two runs would have the same report file, or a file can't be written. */
export const checkReports = (
  runs: readonly NamedRun[],
  { format, output = [] }: Pick<Options, 'output'> & { format?: Options['format'] },
): void => {
  if (format === 'html' && runs.length !== 1) {
    throw new UsageError(
      `--format html prints one report, but the command has ${runs.length} runs. Use --output {url}-{device}-{region}.html.`,
    );
  }
  checkOutputs(output.filter(isRunFile).flatMap((template) => reportNames(template, runs)));
};

/** Returns the runs of checks, as far as the names of their reports need them. */
export const namedRuns = (
  checks: readonly { url: string; regions: readonly string[]; device?: string | undefined }[],
): NamedRun[] => checks.flatMap(({ url, regions, device }) => regions.map((region) => ({ url, region, device })));

/**
 * Writes the HTML report of each run to its files, and returns the results with the names of the files. Without a file, the
 * reports of a service whose data end with the command are written to a temporary folder. A failed write does not stop the
 * others. An interrupt deletes the temporary folder.
 */
export const saveReports = async (
  client: Client,
  results: readonly CheckResult[],
  { output = [], format, data }: Options,
  signal: AbortSignal,
): Promise<{ results: CheckResult[]; errors: Error[] }> => {
  const templates = output.filter(isRunFile);
  const runs = results.flatMap(({ check }) => check.runs.map((run) => ({ ...run, url: check.url })));
  const isLost = data === undefined && results.some(({ server }) => server === null);
  const temporary =
    !templates.some(isReport) && format !== 'html' && isLost && runs.some(hasReport) ? temporaryFolder() : undefined;
  if (temporary !== undefined) templates.push(join(temporary, '{url}-{device}-{region}.html'));
  try {
    const { files: named, errors } = await writeReports(client, runs, templates, signal);
    const files = Object.fromEntries(runs.map(({ id }, i) => [id, named[i]]));
    return { results: results.map((result) => ({ ...result, reportFiles: filesIn(result, files) })), errors };
  } catch (error) {
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true }); // no result names it
    throw error;
  }
};

/** A run with the id by which its report is read. */
type ReportedRun = NamedRun & Pick<CheckView['runs'][number], 'id' | 'links'>;

/** Writes the HTML report or another file of each run to the files of the templates. Returns the first report of each run that has one. */
export const writeReports = async (
  client: Client,
  runs: readonly ReportedRun[],
  templates: readonly string[],
  signal: AbortSignal,
): Promise<{ files: (string | undefined)[]; errors: Error[] }> => {
  const targets = templates.map((template) => ({
    kind: runFileOf(template) ?? 'report',
    names: reportNames(template, runs),
  }));
  const files: (string | undefined)[] = runs.map(() => undefined);
  const errors: Error[] = [];
  for (const [i, run] of runs.entries()) {
    if (templates.length === 0 || !hasReport(run)) continue;
    try {
      for (const { kind, names } of targets) {
        const file = names[i] ?? '';
        await writeOutput(file, await textOf[kind](client, run, signal));
        if (kind === 'report') files[i] ??= file;
      }
    } catch (error) {
      signal.throwIfAborted();
      errors.push(error as Error);
    }
  }
  return { files, errors };
};

const artifactText =
  (name: ArtifactName) =>
  (client: Client, { id, region, links }: ReportedRun, signal: AbortSignal): Promise<string> => {
    const path = links[name];
    if (path) return client.file(path, { signal });
    throw new UsageError(`The run ${id} in ${region} has no ${name}. Audit the page again with --artifacts ${name}.`);
  };

/** How to read each file of a run. */
const textOf = {
  report: (client, { id }, signal) => reportPage(client, id, signal),
  trace: artifactText('trace'),
  har: artifactText('har'),
} satisfies Record<RunFile, (client: Client, run: ReportedRun, signal: AbortSignal) => Promise<string>>;

const isReport = (file: string): boolean => runFileOf(file) === 'report';

const filesIn = ({ check }: CheckResult, files: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(check.runs.flatMap(({ id }) => (files[id] === undefined ? [] : [[id, files[id]]])));

const hasReport = ({ links }: Pick<CheckView['runs'][number], 'links'>): boolean => links.report !== null;

const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'page-audit-reports-'));

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
