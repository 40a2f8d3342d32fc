import type { RunView } from '../../../shared/run.ts';
import { isFinished } from '../../../shared/states.ts';
import { countsText, failedFirst, outcomeOf as outcomeOfAssertion } from '../../words/assertions.ts';
import { isOfVariants, variantNames } from '../../words/differences.ts';
import { labels } from '../../words/numbers.ts';
import { metricCell } from '../../words/section.ts';
import { turnsText } from '../../words/turns.ts';
import { variantSection } from '../../words/variants.ts';
import type { CheckResult } from '../run/result.ts';
import { confirmationText } from './confirmation.ts';
import { whyLines } from './explanation.ts';
import { fixesTable } from './fixes-markdown.ts';
import { countOfFailed, headlineOf } from './headline.ts';
import { code, link, prose, tableOf } from './markdown-syntax.ts';
import { shownMetrics, summaryOf, verdictsOf } from './metrics.ts';
import { assertionsIn, failuresOf, sampleNotes, warningsOf } from './notes.ts';
import { outcomeOf, worstFirst } from './outcome.ts';
import { cellMarkdown, sectionMarkdown, sectionsOfCheck } from './section.ts';
import { linkOf, titleOf } from './titles.ts';

/** Most characters of the result. GitHub refuses a comment with more than 65,536. */
export const MAX_MARKDOWN_LENGTH = 60_000;

const MAX_FIXES = 3;
/** Labels that the action adds. GitHub shows them beside the text. */
const SHOWN_BY_GITHUB = ['branch', 'commit', 'repository'];

export const outcomeSigns = { good: '✅', unclear: '⚪', unjudged: '⚠️', bad: '❌', open: '⏳' };
const legend = '<sub>🟢 good 🟨 needs work 🔺 poor</sub>';

/** Returns the checks as Markdown for a job summary or a pull request comment of GitHub, worst first. */
export const markdownOf = (results: readonly CheckResult[]): string => {
  const count = results.length > 1 && countOfFailed(results);
  const summary = count ? [`**${count}**`, ...failedList(results), ''] : [];
  const notes = sampleNotes(results).map((text) => `- ⚠️ ${prose(text)}`);
  return boundedMarkdown([{ lines: summary }, ...worstFirst(results).map(partOfCheck), { lines: notes }]);
};

/** Most checks in the list of those that failed. */
const MAX_LISTED = 10;

/** Returns the answer of each check that failed or is not judged, worst first. */
export const failedList = (results: readonly CheckResult[]): string[] => {
  const failed = worstFirst(results).filter((result) => ['bad', 'unjudged'].includes(outcomeOf(result)));
  const more = failed.length - MAX_LISTED;
  const lines = failed
    .slice(0, MAX_LISTED)
    .map(
      (result) =>
        `- ${outcomeSigns[outcomeOf(result)]} ${prose(headlineOf(result) ?? 'failed')}: ${code(titleOf(result).url)}`,
    );
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])];
};

/** Names of one part, and of several. */
const partNames = { row: ['row of the table', 'rows of the table'], check: ['check in detail', 'checks in detail'] };
type PartName = keyof typeof partNames;
/** Lines that belong together. `name` says what they are, so that those left out are counted. */
export type Part = { lines: readonly string[]; name?: PartName };

/** Returns everything about a check as a part of a text. */
export const partOfCheck = (result: CheckResult): Part => ({ lines: linesOfCheck(result), name: 'check' });

/** Longest note on parts that are left out. */
const NOTE_LENGTH = 250;

/** Joins lines until the limit. Markdown may end after each line of a list or table. */
export const boundedMarkdown = (parts: readonly Part[]): string => {
  const shown: string[] = [];
  const leftOut = { row: 0, check: 0 };
  let length = 0;
  let isCut = false;
  for (const { lines, name } of parts) {
    const before = shown.length;
    for (const line of lines) {
      isCut ||= length + line.length + 1 > MAX_MARKDOWN_LENGTH - NOTE_LENGTH;
      if (isCut) break;
      length += line.length + 1;
      shown.push(line);
    }
    if (name && isCut && shown.length === before) leftOut[name] += 1;
  }
  const text = `${shown
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`;
  return isCut ? `${text}\n${cutNote(leftOut)}\n` : text;
};

const cutNote = (leftOut: Readonly<Record<PartName, number>>): string => {
  const counts = (Object.keys(partNames) as PartName[])
    .filter((name) => leftOut[name] > 0)
    .map((name) => `${leftOut[name]} ${partNames[name][leftOut[name] === 1 ? 0 : 1]}`);
  const rest = counts.length > 0 ? ` Left out: ${counts.join(' and ')}.` : '';
  return `*This is cut, because GitHub limits a comment to 65,536 characters.${rest} The format json has everything.*`;
};

/** Returns everything about a check. */
const linesOfCheck = (result: CheckResult): string[] => {
  const { url, facts } = titleOf(result, SHOWN_BY_GITHUB);
  const page = linkOf(result);
  const headline = headlineOf(result);
  return [
    `### ${outcomeSigns[outcomeOf(result)]} ${headline === undefined ? code(url) : prose(headline)}`,
    '',
    [
      ...(headline === undefined ? [] : [code(url)]),
      prose(facts),
      ...(page ? [link('Report', page)] : []),
      runsText(result),
    ].join(' · '),
    ...metricLines(result),
    ...sectionsOfCheck(result.check).flatMap(sectionMarkdown),
    ...noteLines(result),
    ...baseLines(result, { withTable: !result.check.against }),
    ...whyLines(result.explanation),
    ...assertionLines(result),
    ...(result.fixes ? fixesTable(result.fixes, MAX_FIXES) : []),
    '',
  ];
};

/** Returns the ids of the runs, and the files of their reports. */
const runsText = ({ check: { runs }, reportFiles = {} }: CheckResult): string =>
  runs
    .map(({ id, region }) => {
      const file = reportFiles[id];
      return `Run ${runs.length > 1 ? `${prose(region)} ` : ''}${code(id)}${file === undefined ? '' : ` in ${code(file)}`}`;
    })
    .join(', ');

const metricLines = (result: CheckResult): string[] => {
  const { runs, against } = result.check;
  const names = shownMetrics(runs, result.isOnePlace);
  if (names.length === 0) return [''];
  if (against) return [...runs.flatMap((run) => variantLines(run)), legend, ''];
  const verdictOf = verdictsOf(result);
  const rows = names.map((name) => [
    labels[name],
    ...runs.map((run) => cellMarkdown(metricCell(run, name))),
    ...(verdictOf ? [prose(verdictOf(name))] : []),
  ]);
  return [
    ...tableOf(['', ...runs.map(({ region }) => prose(region)), ...(verdictOf ? ['verdict'] : [])], rows),
    legend,
    '',
  ];
};

/** Returns both variants of a run side by side with the change. */
const variantLines = (run: RunView): string[] => {
  const turns = run.turns ? ['', prose(turnsText(run.turns))] : [];
  const lines = sectionMarkdown(variantSection(run));
  return lines.length > 0 ? [...lines, ...turns] : [];
};

const noteLines = (result: CheckResult): string[] => [
  ...failuresOf(result).map(
    (each) =>
      `- ❌ **${prose(each.regions)} failed: ${prose(each.code)}.** ${prose(each.message)} ${prose(each.advice)}`,
  ),
  ...result.check.runs
    .filter(({ state }) => !isFinished(state))
    .map(({ region, state }) => `- ⏳ ${prose(region)}: ${state === 'created' ? 'waiting' : 'auditing'}`),
  ...warningsOf(result).map((text) => `- ⚠️ ${prose(text)}`),
  '',
];

/** Returns the metrics that got worse or better than those of the base. */
export const baseLines = (
  { base, baseProblem, confirmation }: Pick<CheckResult, 'base' | 'baseProblem' | 'confirmation'>,
  { withTable = true } = {},
): string[] => {
  const confirmed = confirmation
    ? [`- ${confirmationSigns[confirmation.state]} ${prose(confirmationText(confirmation))}`, '']
    : [];
  if (baseProblem && !base) return [`- ❌ **Not compared.** ${prose(baseProblem)}`, ...confirmed, ''];
  if (!base) return [];
  const { changed, counts } = summaryOf(base);
  const other = isOfVariants(base) ? prose(variantNames(base).base) : code(base.baseCheckId);
  const rows = changed.map(({ region, label, before, after, change, verdict }) => [
    changeWords[verdict],
    prose(region),
    prose(label),
    before,
    after,
    prose(change),
  ]);
  return [
    `**Compared with ${other}:** ${counts}`,
    ...(withTable && rows.length > 0 ? tableOf(['', 'region', 'metric', 'before', 'after', 'change'], rows) : ['']),
    ...(baseProblem ? [`- ⚠️ **Not judged.** ${prose(baseProblem)}`, ''] : []),
    ...confirmed,
  ];
};

const confirmationSigns = { confirmed: '❌', refuted: '✅', open: '❔' };

const changeWords = { regressed: '❌ regressed', improved: '✅ improved', same: '', unknown: '❔ perhaps' };

const assertionSigns = {
  failed: '❌ failed',
  warning: '⚠️ warning',
  'not judged': '❔ not judged',
  passed: '✅ passed',
};

const assertionLines = (result: CheckResult): string[] => {
  const results = assertionsIn(result);
  if (results.length === 0) return [];
  const rows = failedFirst(results).map((each) => [
    assertionSigns[outcomeOfAssertion(each)],
    prose(each.region),
    prose(each.message),
    code(each.key),
  ]);
  return [
    `**Assertions:** ${countsText(results)}`,
    ...(rows.length > 0 ? tableOf(['', 'region', 'found', 'assertion'], rows) : ['']),
  ];
};
