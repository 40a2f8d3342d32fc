import type { Report } from '../../../shared/explanation/report.ts';
import { type CategoryVersionChange, versionChanges } from '../../../shared/explanation/version-changes.ts';
import type { Client } from '../../api/client.ts';
import { versionSections } from '../../words/versions.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../exit-codes.ts';
import type { RunOptions, VersionsOptions } from '../flags/options.ts';
import { jsonOf } from '../formats/json.ts';
import { prose } from '../formats/markdown-syntax.ts';
import { writeForms } from '../formats/output.ts';
import { type FormatName, render } from '../formats/render.ts';
import { paint, signed, type View, wrap } from '../formats/terminal.ts';
import { offeredVersions } from '../read/offer.ts';
import type { CheckResult } from '../run/result.ts';
import { auditing } from '../run/run.ts';

/** Changes that the other version makes to each category, by region. */
type Changes = Readonly<Record<string, CategoryVersionChange[]>>;

/** Lists the versions of the service, or with a URL compares two of them. */
export const versions = async (
  context: Context,
  url: string | undefined,
  options: VersionsOptions,
): Promise<number> => {
  const { from, format } = options;
  if (url !== undefined) {
    if (from === undefined) throw new UsageError('Name the earlier version, such as --from 12.');
    return compareVersions(context, url, { ...options, from });
  }
  if (from !== undefined) throw new UsageError('--from compares two versions on a page. Name the URL of the page.');
  if (format !== 'text' && format !== 'json')
    throw new UsageError('The list of versions has the formats text and json.');
  return offeredVersions(context, { format, ...(options.data !== undefined && { data: options.data }) });
};

/** Audits a page by two versions of Lighthouse in turns. Prints how the scores change, and which audits make them change. */
const compareVersions = (
  context: Context,
  url: string,
  options: VersionsOptions & { from: string },
): Promise<number> => {
  const { from, to, ...rest } = options;
  const variants: RunOptions = { ...rest, auditVersion: to, 'against.auditVersion': from };
  const write = async (results: CheckResult[], client: Client) => {
    const changes = await changesOf(client, results, context.signal);
    await writeForms(context, (format, view) => formOf(results, changes, format, view), options);
  };
  return auditing(context, [url], variants, { write, isGate: false });
};

const changesOf = async (client: Client, results: readonly CheckResult[], signal: AbortSignal): Promise<Changes> => {
  const changes: Record<string, CategoryVersionChange[]> = {};
  for (const { id, region, state } of results.flatMap(({ check }) => check.runs)) {
    if (state !== 'succeeded') continue;
    const base = await client.report(id, { variant: 'against', signal });
    const now = await client.report(id, { signal });
    changes[region] = versionChanges(base as unknown as Report, now as unknown as Report);
  }
  return changes;
};

const formOf = async (results: CheckResult[], changes: Changes, format: FormatName, view: View): Promise<string> => {
  if (format === 'json') {
    const { checks } = JSON.parse(jsonOf(results)) as { checks: object[] };
    return `${JSON.stringify({ checks: checks.map((check) => ({ ...check, versionChanges: changes })) }, null, 2)}\n`;
  }
  const text = await render(results, format, view);
  if (format === 'text') return text + textOf(changes, view);
  return format === 'markdown' ? text + markdownOf(changes) : text;
};

const textOf = (changes: Changes, view: View): string =>
  Object.entries(changes)
    .flatMap(([region, categories]) => [
      '',
      ...wrap(paint(`Why, by audit, ${region}`, 'heading', view), view.width),
      ...versionSections(categories).flatMap(({ title, entries }) => [
        ...wrap(title, view.width),
        ...entries.flatMap((entry) => signed('  -', entry, view)),
      ]),
    ])
    .map((line) => `${line}\n`)
    .join('');

const markdownOf = (changes: Changes): string =>
  Object.entries(changes)
    .flatMap(([region, categories]) => [
      '',
      `**Why, by audit, ${prose(region)}**`,
      ...versionSections(categories).flatMap(({ title, entries }) => [
        '',
        prose(title),
        ...entries.map((entry) => `- ${prose(entry)}`),
      ]),
    ])
    .map((line) => `${line}\n`)
    .join('');
