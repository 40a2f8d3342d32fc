import stringWidth from 'string-width';
import type { MetricName } from '../../../shared/metrics/page-metrics.ts';
import type { RunView } from '../../../shared/run.ts';
import { isFinished } from '../../../shared/states.ts';
import { failedFirst } from '../../words/assertions.ts';
import { isOfVariants, variantNames } from '../../words/differences.ts';
import { counted, gradeSigns, gradeWords, labels } from '../../words/numbers.ts';
import { metricCell, verdictSigns } from '../../words/section.ts';
import { sampleText, turnsText } from '../../words/turns.ts';
import { variantSection } from '../../words/variants.ts';
import type { CheckResult } from '../run/result.ts';
import { assertionLines } from './comparison-text.ts';
import { type Confirmation, confirmationText } from './confirmation.ts';
import { whyText } from './explanation.ts';
import { countOfFailed, headlineLines, nextLines, nextStepOf, signOf, worstOutcome } from './headline.ts';
import { shownMetrics, summaryOf, verdictsOf } from './metrics.ts';
import { assertionsIn, failuresOf, sampleNotes, warningsOf } from './notes.ts';
import { cellText, sectionsOfCheck, sectionText, verdictStyles } from './section.ts';
import { LABEL_WIDTH, labelled, paint, signed, table, type View, wrap } from './terminal.ts';
import { linkOf, titleOf } from './titles.ts';

/**
 * Returns the checks as text for a terminal: the answer first, and the next step last. No line is wider than it, except for a
 * link, the name of a file or a command.
 */
export const textOf = (results: readonly CheckResult[], view: View): string => {
  const count = results.length > 1 && countOfFailed(results);
  const next = nextStepOf(results);
  return [
    ...(count ? [signed(signOf(worstOutcome(results), view), count, view)] : []),
    ...results.map((result) => linesOf(result, view)),
    ...sampleLines(results, view),
    ...(next ? [nextLines(next, view)] : []),
  ]
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
};

/** Returns how to get verdicts about all metrics, once for all checks. */
const sampleLines = (results: readonly CheckResult[], view: View): string[][] =>
  sampleNotes(results).map((text) => signed(paint('!', 'work', view), text, view));

const linesOf = (result: CheckResult, view: View): string[] => {
  return [
    ...headlineLines(result, view),
    ...titleLines(result, view),
    ...metricLines(result, view),
    ...sectionsOfCheck(result.check).flatMap((section) => sectionText(section, view)),
    ...failureLines(result, view),
    ...baseLines(result, view),
    ...whyText(result.explanation, view),
    ...warningsOf(result).flatMap((text) => signed(paint('!', 'work', view), text, view)),
    ...whereLines(result, view),
    ...linesOfAssertions(result, view),
  ];
};

/** Returns what failed about a check: its runs, the comparison with its base, and its assertions. */
export const problemLines = (result: CheckResult, view: View): string[] => [
  ...headlineLines(result, view),
  ...failureLines(result, view),
  ...baseLines(result, view),
  ...linesOfAssertions(result, view),
];

/** Returns the address of the page and the files of the reports, and with all details the ids of the runs that stay. */
const whereLines = (result: CheckResult, view: View): string[] => {
  const { runs } = result.check;
  const { readWith } = result;
  const link = linkOf(result);
  const regionOf = (run: RunView) => (runs.length > 1 ? `${run.region}  ` : '');
  const files = runs.flatMap((run) => {
    const file = result.reportFiles?.[run.id];
    return file === undefined ? [] : [`File    ${regionOf(run)}${file}`];
  });
  const shown = view.verbose && readWith !== null ? runs : [];
  const ids = shown.flatMap((run) => {
    const line = `Run     ${regionOf(run)}${run.id}`;
    // whole on a line of its own, so that people can copy it
    return line.length <= view.width
      ? [line]
      : [...wrap(`Run     ${regionOf(run)}`.trimEnd(), view.width), ...wrap(run.id, view.width)];
  });
  const lines = [...(link ? [`Report  ${link}`] : []), ...files, ...ids];
  return lines.length > 0 ? ['', ...lines] : [];
};

const titleLines = (result: CheckResult, view: View): string[] => {
  const { url, facts } = titleOf(result);
  const oneLine = `${paint(url, 'heading', view)}   ${facts}`;
  if (stringWidth(oneLine) <= view.width) return [oneLine];
  return [...wrap(paint(url, 'heading', view), view.width), ...wrap(facts, view.width)];
};

/** Returns the table of regions and metrics. If the terminal is too narrow for it, each region has its own block. */
const metricLines = (result: CheckResult, view: View): string[] => {
  const { runs } = result.check;
  const names = shownMetrics(runs, result.isOnePlace);
  const isOpen = runs.some(({ state }) => !isFinished(state));
  if (names.length === 0 && !isOpen) return [];
  const lines = result.check.against
    ? runs.flatMap((run, i) => [...(i === 0 ? [] : ['']), ...variantLines(run, result, view)])
    : (tableLines(result, names, view) ?? blocks(result, names, view));
  return [...lines, ...legend(names, view)];
};

/** Returns false for the only region of a check on a machine, where its name says nothing. */
export const isNamed = ({ check, isOnePlace }: CheckResult): boolean => check.runs.length > 1 || !isOnePlace;

/** Returns the table with the verdicts in its last column, or below it if the terminal is too narrow for that. */
const tableLines = (result: CheckResult, names: readonly MetricName[], view: View): string[] | undefined => {
  const { runs } = result.check;
  const verdictOf = verdictsOf(result);
  const rows = [
    ...(isNamed(result) ? [['', ...runs.map(({ region }) => region)]] : []),
    ...stateRow(result),
    ...names.map((name) => [labels[name], ...runs.map((run) => cellOf(run, name, view))]),
  ];
  if (!verdictOf) return table(rows, view);
  const cells = [...(isNamed(result) ? ['verdict'] : []), ...stateRow(result).map(() => ''), ...names.map(verdictOf)];
  const wide = table(
    rows.map((row, i) => [...row, cells[i] ?? '']),
    view,
  );
  const narrow = () => table(rows, view);
  return wide ?? narrow()?.concat(verdictLines(names, verdictOf, view));
};

/** Returns both variants of a run side by side with the change. */
const variantLines = (run: RunView, result: CheckResult, view: View): string[] => {
  const title = isNamed(result) ? run.region : '';
  if (run.state !== 'succeeded') {
    const region = title && paint(title, 'heading', view);
    return wrap(`${region}   ${stateOf(run, result)}`.trimStart(), view.width);
  }
  const lines = sectionText({ ...variantSection(run), title }, view);
  return [...lines, ...(run.turns ? wrap(turnsText(run.turns), view.width) : [])];
};

const verdictLines = (names: readonly MetricName[], verdictOf: (name: MetricName) => string, view: View): string[] => [
  '',
  paint('verdict', 'heading', view),
  ...names.flatMap((name) => labelled(labels[name], verdictOf(name), view)),
];

const blocks = (result: CheckResult, names: readonly MetricName[], view: View): string[] => {
  const verdictOf = verdictsOf(result);
  const regions = result.check.runs.flatMap((run, i) => [
    ...(i === 0 ? [] : ['']),
    ...(isNamed(result) ? [paint(run.region, 'heading', view)] : []),
    ...(run.state === 'succeeded'
      ? names.flatMap((name) => labelled(labels[name], cellOf(run, name, view, LABEL_WIDTH + 1), view))
      : wrap(stateOf(run, result), view.width)),
  ]);
  const verdicts = verdictOf ? verdictLines(names, verdictOf, view) : [];
  return ['', ...regions, ...verdicts, ''];
};

/** Returns the value of a metric. It has no spread if the line would be too wide. */
const cellOf = (run: RunView, name: MetricName, view: View, used = 0): string => {
  const value = metricCell(run, name);
  if (value === '–') return isFinished(run.state) ? value : '…';
  const text = cellText(value, view);
  return used + stringWidth(text) <= view.width ? text : cellText({ ...value, spread: '' }, view);
};

/** Returns the row with the states, if a run is not finished or failed. */
const stateRow = (result: CheckResult): string[][] => {
  const { runs } = result.check;
  if (runs.every(({ state }) => state === 'succeeded')) return [];
  return [['', ...runs.map((run) => stateOf(run, result))]];
};

const stateOf = ({ state, attempts, error }: RunView, { check: { samples = 1 } }: CheckResult): string => {
  if (state === 'succeeded') return '✓ done';
  if (state === 'failed') return `✘ ${error?.code}`;
  if (state === 'created') return '◌ waiting';
  const done = attempts.filter(({ code }) => code === null).length;
  return `◐ ${sampleText(done, samples) || 'sample 1 of 1'}`;
};

const legend = (names: readonly MetricName[], view: View): string[] => {
  if (names.length === 0) return [];
  const text = (['pass', 'work', 'poor'] as const).map((grade) => `${gradeSigns[grade]} ${gradeWords[grade]}`);
  return wrap(text.join('  '), view.width).map((line) => paint(line, 'unknown', view));
};

const failureLines = (result: CheckResult, view: View): string[] =>
  failuresOf(result).flatMap(({ regions, message, advice }) => {
    const where = result.check.runs.length > 1 ? `${regions}: ` : '';
    return [...signed(paint('✘', 'poor', view), `${where}${message}`, view), ...signed(' ', advice, view)];
  });

/** Returns the metrics that got worse or better than those of the base, or perhaps did. */
const baseLines = ({ base, baseProblem, confirmation }: CheckResult, view: View): string[] => {
  const confirmed = confirmation ? confirmationLines(confirmation, view) : [];
  if (baseProblem && !base) return ['', ...signed(paint('✘', 'poor', view), baseProblem, view), ...confirmed];
  if (!base) return [];
  const problem = baseProblem ? signed(signOf('unjudged', view), baseProblem, view) : [];
  const { changed, counts } = summaryOf(base, view);
  if (isOfVariants(base))
    return ['', ...wrap(`Compared with ${variantNames(base).base}: ${counts}`, view.width), ...problem];
  const lines = changed.flatMap(({ region, label, verdict, before, after, change }) => {
    const sign = paint(verdictSigns[verdict], verdictStyles[verdict], view);
    const where = base.regions.length > 1 ? `${region}  ` : '';
    return signed(sign, `${where}${label} ${before} → ${after}: ${change}`, view);
  });
  return ['', ...wrap(`Compared with ${base.baseCheckId}: ${counts}`, view.width), ...lines, ...problem, ...confirmed];
};

const confirmationLines = (confirmation: Confirmation, view: View): string[] => {
  const verdict = { confirmed: 'regressed', refuted: 'same', open: 'unknown' } as const;
  const of = verdict[confirmation.state];
  return signed(paint(verdictSigns[of], verdictStyles[of], view), confirmationText(confirmation), view);
};

const linesOfAssertions = (result: CheckResult, view: View): string[] => {
  const results = assertionsIn(result);
  if (results.length === 0) return [];
  const passed = results.filter((each) => each.passed).length;
  const lines = failedFirst(results).flatMap((each) => assertionLines(each, view, result.check.runs.length));
  const count = passed > 0 ? signed(paint('✓', 'pass', view), `${counted(passed, 'assertion')} passed`, view) : [];
  return ['', ...count, ...lines];
};
