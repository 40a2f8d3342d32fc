import reports, { type TestSuite } from 'junit-report-builder';
import type { AssertionResult } from '../../../shared/assertions/assertions.ts';
import type { RunView } from '../../../shared/run.ts';
import { isOfVariants, variantNames } from '../../words/differences.ts';
import { headlineOfChange } from '../../words/headline.ts';
import { labels } from '../../words/numbers.ts';
import { metricCell } from '../../words/section.ts';
import type { CheckResult } from '../run/result.ts';
import { confirmationText } from './confirmation.ts';
import { changesOf, shownMetrics } from './metrics.ts';
import { adviceOf } from './notes.ts';
import { linkOf, shortUrl, titleOf } from './titles.ts';

/** The package's types describe an ES module, but Node.js loads its CommonJS module. */
export const builder = reports as unknown as typeof reports.default;

/**
 * Returns the checks as JUnit XML. Each check is a test suite. Each region has a test case for its audit, one for each
 * assertion, and one for the comparison with a base. A fault of the page is a failure, and a fault of the service an error.
 */
export const junitOf = (results: readonly CheckResult[]): string => {
  const report = builder.newBuilder();
  for (const result of results) {
    const { check } = result;
    const { url, facts } = titleOf(result);
    const suite = report
      .testSuite()
      .name(`${url} (${check.device ?? 'mobile'})`)
      .timestamp(check.createdAt);
    suite.property('checkId', check.id).property('audits', facts);
    const link = linkOf(result);
    if (link) suite.property('report', link);
    for (const run of check.runs) {
      suite.property(`runId.${run.region}`, run.id);
      const file = result.reportFiles?.[run.id];
      if (file !== undefined) suite.property(`reportFile.${run.region}`, file);
      addAudit(suite, run);
      for (const each of result.assertions[run.id] ?? []) addAssertion(suite, run, each);
    }
    addBase(suite, result);
  }
  return `${report.build()}\n`;
};

const addAudit = (suite: TestSuite, run: RunView): void => {
  const test = suite.testCase().className(shortUrl(run.url)).name(`${run.region} audit`);
  if (run.startedAt && run.finishedAt) test.time((Date.parse(run.finishedAt) - Date.parse(run.startedAt)) / 1000);
  const { error } = run;
  if (run.state === 'succeeded') test.standardOutput([valuesOf(run), ...run.warnings].join('\n'));
  else if (!error) test.skipped().standardOutput(`The run is not finished. Its state is ${run.state}.`);
  else {
    const message = `${error.message} ${adviceOf(error)}`;
    if (error.blame === 'page') test.failure(message, error.code);
    else test.error(message, error.code);
  }
};

const valuesOf = (run: RunView): string =>
  shownMetrics([run])
    .flatMap((name) => {
      const value = metricCell(run, name);
      return value === '–' ? [] : [`${labels[name]} ${value.text} ${value.spread ?? ''}`.trimEnd()];
    })
    .join(', ');

const addAssertion = (suite: TestSuite, run: RunView, assertion: AssertionResult): void => {
  const { key, name, level, passed, message } = assertion;
  const test = suite.testCase().className(shortUrl(run.url)).name(`${run.region} ${key} ${name}`);
  if (passed) return;
  if (level !== 'error') test.standardOutput(`Warning: ${message}`);
  else if (passed === null) test.error(message, 'not-judged');
  else test.failure(message, 'assertion');
};

/** Adds a test case for each region that was compared with the base. It fails if a metric regressed. */
const addBase = (suite: TestSuite, { check, base, baseProblem, confirmation }: CheckResult): void => {
  if (baseProblem) {
    const test = suite.testCase().className(shortUrl(check.url)).name('comparison with the base');
    if (base) test.skipped().standardOutput(`${headlineOfChange(base)}\n${baseProblem}`);
    else test.error(baseProblem, 'no-verdict');
  }
  if (!base || baseProblem) return;
  const changes = changesOf(base);
  const other = isOfVariants(base) ? variantNames(base).base : base.baseCheckId;
  for (const region of base.regions) {
    const test = suite.testCase().className(shortUrl(check.url)).name(`${region} compared with ${other}`);
    const inRegion = changes.filter((each) => each.region === region);
    const texts = (shown: typeof changes) =>
      shown.map(({ label, before, after, change }) => `${label} ${before} → ${after}: ${change}`);
    const regressed = texts(inRegion.filter(({ verdict }) => verdict === 'regressed'));
    const isConfirmed = confirmation?.changes.some((each) => each.region === region && each.verdict === 'regressed');
    if (confirmation && isConfirmed) regressed.push(confirmationText(confirmation));
    if (regressed.length > 0) test.failure(regressed.join(', '), 'regression');
    if (isOfVariants(base)) test.standardOutput(texts(inRegion).join('\n'));
  }
};
