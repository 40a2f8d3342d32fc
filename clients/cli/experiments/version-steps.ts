import { medianOf } from '../../../shared/comparison/shift.ts';
import type { AuditVersionChange, CategoryVersionChange } from '../../../shared/explanation/version-changes.ts';
import { pointsText } from '../../../shared/explanation/words.ts';
import type { MetricName } from '../../../shared/metrics/page-metrics.ts';
import type { RunView } from '../../../shared/run.ts';
import { counted, labels, plain, textOf } from '../../words/numbers.ts';
import { changeText } from '../../words/versions.ts';
import { code, prose, tableOf } from '../formats/markdown-syntax.ts';
import { grouped } from '../formats/metrics.ts';
import { fittingTable, paint, signed, type View, wrap } from '../formats/terminal.ts';
import { shortUrl } from '../formats/titles.ts';
import type { CheckResult } from '../run/result.ts';

/** A check by two versions of Lighthouse, and the changes of its categories by the id of the run. */
export type Compared = { result: CheckResult; changes: ReadonlyMap<string, CategoryVersionChange[]> };

const columns: readonly MetricName[] = [
  ...(['performance', 'accessibility', 'bestPractices', 'seo'] as const),
  ...(['fcp', 'lcp', 'tbt', 'cls'] as const),
];
/** Shortest width of a page's name before the table is a list. */
const MIN_NAME_WIDTH = 12;

/** Returns the step of a metric from the earlier version to the later: medians of the samples, or one value if it stays. */
const stepOf = ({ samples, against }: RunView, name: MetricName): string => {
  const [before, after] = [against?.samples ?? [], samples].map((all) => {
    const values = all.flatMap((sample) => plain(sample[name]) ?? []);
    return values.length > 0 ? textOf(name, medianOf(values)) : '–';
  });
  return before === after ? `${after}` : `${before} → ${after}`;
};

/** Returns one row for each run. A run that failed has its error in place of the steps. */
const rowsOf = (compared: readonly Compared[]) =>
  compared.flatMap(({ result: { check } }) =>
    check.runs.map((run) => ({
      page: check.runs.length > 1 ? `${shortUrl(check.url)} ${run.region}` : shortUrl(check.url),
      steps: run.state === 'succeeded' ? columns.map((name) => stepOf(run, name)) : [],
      error: run.error?.message,
    })),
  );

/** Returns true if both versions judged each load: the attempt of one has taken no time of its own. */
const isShared = ({ attempts }: RunView): boolean => {
  const measured = attempts.filter(({ code }) => code === null);
  const judged = measured.filter(({ seconds }) => seconds === 0);
  return judged.length > 0 && 2 * judged.length === measured.length;
};

/** Says how far the steps have noise. */
const loadsText = (compared: readonly Compared[]): string => {
  const runs = compared.flatMap(({ result: { check } }) => check.runs.filter(({ state }) => state === 'succeeded'));
  const separate = runs.filter((run) => !isShared(run));
  if (separate.length === 0) return 'Both versions judged the same loads, so the steps have no noise.';
  if (separate.length === runs.length) return 'Each version loaded the pages itself, so the steps of times have noise.';
  const named = [...new Set(separate.map(({ url }) => shortUrl(url)))].join(', ');
  return `Both versions judged the same loads. Only these pages have separate loads too, so their steps have noise: ${named}.`;
};

/** Returns the changes that count, each with the number of runs that have it and the points that it moves. */
const causesOf = (compared: readonly Compared[]): string[] => {
  const runs = compared.flatMap(({ changes }) => [...changes.values()]);
  const all = runs.flatMap((categories) =>
    categories.flatMap(({ category, title, audits }) => audits.map((change) => ({ category, title, change }))),
  );
  const counting = all.filter(({ change }) => (change.baseWeight ?? 0) > 0 || (change.weight ?? 0) > 0);
  return grouped(counting, ({ category, change }) => `${category} ${change.kind} ${change.audit}`).flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    return [
      `${first.title}: “${first.change.title}” ${changeText(first.change)}, on ${counted(group.length, 'run')} of ${runs.length}${rangeText(group.map(({ change }) => change))}`,
    ];
  });
};

const rangeText = (changes: readonly AuditVersionChange[]): string => {
  const points = changes.map((change) => change.points).sort((a, b) => a - b);
  const texts = [...new Set([points[0], points.at(-1)].map((each) => pointsText(each ?? 0) || '0 points'))];
  return texts.join() === '0 points' ? '' : `: ${texts.join(' to ')}`;
};

/** Title of the table: the versions, and how the audits were made. */
const titleOf = ([first]: readonly Compared[]): string => {
  const check = first?.result.check;
  const from = check?.against?.auditVersion;
  return `Lighthouse ${from} → ${check?.auditVersion}, ${check?.device ?? 'mobile'}, ${counted(Number(check?.samples ?? 1), 'sample')} of each page`;
};

const header = columns.map((name) => labels[name]);
const noCause = 'No audit of a category that counts has changed.';

export const stepsText = (compared: readonly Compared[], view: View): string => {
  const rows = rowsOf(compared);
  const measured = rows.filter(({ steps }) => steps.length > 0);
  const cells = measured.map(({ page, steps }) => [...steps, page]);
  const causes = causesOf(compared);
  const lines = [
    ...wrap(paint(titleOf(compared), 'heading', view), view.width),
    ...(fittingTable([[...header, ''], ...cells], view, MIN_NAME_WIDTH) ??
      measured.flatMap(({ page, steps }) =>
        signed('-', [page, ...steps.map((step, i) => `${header[i]} ${step}`)].join('  '), view),
      )),
    ...rows.flatMap(({ page, error }) => (error ? signed(paint('✘', 'poor', view), `${page}: ${error}`, view) : [])),
    ...wrap(loadsText(compared), view.width),
    '',
    ...wrap(paint('Why, by audit', 'heading', view), view.width),
    ...(causes.length > 0 ? causes.flatMap((cause) => signed('  -', cause, view)) : wrap(noCause, view.width)),
  ];
  return `${lines.join('\n')}\n`;
};

export const stepsMarkdown = (compared: readonly Compared[]): string => {
  const rows = rowsOf(compared);
  const causes = causesOf(compared);
  const lines = [
    `**${prose(titleOf(compared))}**`,
    ...tableOf(
      ['page', ...header],
      rows.map(({ page, steps, error }) => [code(page), ...(error ? [prose(error)] : steps)]),
    ),
    prose(loadsText(compared)),
    '',
    ...(causes.length > 0 ? causes.map((cause) => `- ${prose(cause)}`) : [noCause]),
  ];
  return `${lines.join('\n')}\n`;
};
