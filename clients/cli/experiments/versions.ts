import { shareLoads } from '../../../shared/audit-versions.ts';
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
import { sectionMarkdown, sectionText } from '../formats/section.ts';
import { paint, type View, wrap } from '../formats/terminal.ts';
import { isNamed } from '../formats/text.ts';
import { TIMEOUT, TIMEOUT_OF_MANY } from '../many/limits.ts';
import { namesManyPages, pagesFrom } from '../many/page-list.ts';
import { offeredVersions } from '../read/offer.ts';
import type { CheckResult } from '../run/result.ts';
import { auditing } from '../run/run.ts';
import { type Compared, stepsMarkdown, stepsText } from './version-steps.ts';

/** Lists the versions of the service, or with pages compares two of them. */
export const versions = async (
  context: Context,
  url: string | undefined,
  { urlsFile, sitemap, limit, ...options }: VersionsOptions,
): Promise<number> => {
  const { from, format } = options;
  const many = { ...(urlsFile !== undefined && { urlsFile }), ...(sitemap !== undefined && { sitemap }) };
  const isMany = namesManyPages(many);
  const given = url === undefined ? [] : [url];
  if (isMany || url !== undefined) {
    if (from === undefined) throw new UsageError('Name the earlier version, such as --from 12.');
    if (!isMany && limit !== undefined) throw new UsageError('--limit is for the pages of --sitemap or --urls-file.');
    const urls = isMany ? await pagesFrom(context, given, { ...many, ...(limit !== undefined && { limit }) }) : given;
    return compareVersions(context, urls, { ...options, from, isMany });
  }
  if (from !== undefined)
    throw new UsageError('--from compares two versions on pages. Name the URL of a page, or use --urls-file.');
  if (format !== 'text' && format !== 'json')
    throw new UsageError('The list of versions has the formats text and json.');
  return offeredVersions(context, { format, ...(options.data !== undefined && { data: options.data }) });
};

/** Audits pages by two versions of Lighthouse. Prints how the scores change, and which audits make them change. */
const compareVersions = (
  context: Context,
  urls: readonly string[],
  { from, to, isMany, ...rest }: VersionsOptions & { from: string; isMany: boolean },
): Promise<number> => {
  const timeout = rest.timeout ?? (isMany ? TIMEOUT_OF_MANY : TIMEOUT);
  const variants: RunOptions = { ...rest, timeout, auditVersion: to, 'against.auditVersion': from };
  const write = async (results: CheckResult[], client: Client) => {
    const compared = await Promise.all(results.map((result) => comparedBy(client, result, context.signal)));
    await writeForms(context, (format, view) => formOf(compared, isMany, format, view), rest);
  };
  return auditing(context, urls, variants, { write, isGate: false, isBatch: isMany });
};

const comparedBy = async (client: Client, result: CheckResult, signal: AbortSignal): Promise<Compared> => {
  const changes = new Map<string, CategoryVersionChange[]>();
  for (const { id, state } of result.check.runs) {
    if (state !== 'succeeded') continue;
    const base = await client.report(id, { variant: 'against', signal });
    const now = await client.report(id, { signal });
    changes.set(id, versionChanges(base as unknown as Report, now as unknown as Report));
  }
  return { result, changes };
};

const formOf = async (
  compared: readonly Compared[],
  isMany: boolean,
  format: FormatName,
  view: View,
): Promise<string> => {
  const results = compared.map(({ result }) => result);
  if (format === 'json') return jsonOfVersions(compared);
  if (isMany && format === 'text') return stepsText(compared, view);
  if (isMany && format === 'markdown') return stepsMarkdown(compared);
  const text = await render(results, format, view);
  if (format === 'text') return text + compared.flatMap((each) => linesOf(each, view)).join('');
  return format === 'markdown' ? text + compared.flatMap(markdownOf).join('') : text;
};

const jsonOfVersions = (compared: readonly Compared[]): string => {
  const { checks } = JSON.parse(jsonOf(compared.map(({ result }) => result))) as { checks: object[] };
  const all = checks.map((check, i) => ({ ...check, versionChanges: Object.fromEntries(byRegion(compared[i])) }));
  return `${JSON.stringify({ checks: all }, null, 2)}\n`;
};

const byRegion = (compared: Compared | undefined) =>
  (compared?.result.check.runs ?? []).flatMap(({ id, region }) => {
    const changes = compared?.changes.get(id);
    return changes ? [[region, changes] as const] : [];
  });

const sharedIn = ({ result: { check } }: Compared) => {
  const base = check.against?.auditVersion;
  return { isShared: base !== undefined && shareLoads(check.auditVersion, base) };
};

/** Returns the heading of a region's causes. A region is named as in the table above. */
const whyOf = ({ result }: Compared, region: string): string =>
  isNamed(result) ? `Why, by audit, ${region}` : 'Why, by audit';

const linesOf = (compared: Compared, view: View): string[] =>
  byRegion(compared)
    .flatMap(([region, categories]) => [
      '',
      ...wrap(paint(whyOf(compared, region), 'heading', view), view.width),
      ...versionSections(categories, sharedIn(compared)).flatMap((section) => sectionText(section, view)),
    ])
    .map((line) => `${line}\n`);

const markdownOf = (compared: Compared): string[] =>
  byRegion(compared)
    .flatMap(([region, categories]) => [
      '',
      `**${prose(whyOf(compared, region))}**`,
      '',
      ...versionSections(categories, sharedIn(compared)).flatMap(sectionMarkdown),
    ])
    .map((line) => `${line}\n`);
