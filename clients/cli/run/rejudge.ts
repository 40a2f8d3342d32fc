import { judge } from '../../../shared/assertions/judge.ts';
import { faultsOfMethods } from '../../../shared/assertions/samples.ts';
import type { CheckAssertions } from '../../../shared/assertions/sets.ts';
import { AssertedReport } from '../../../shared/assertions/values.ts';
import type { CheckView } from '../../../shared/check.ts';
import { metricNames } from '../../../shared/metrics/page-metrics.ts';
import type { Sample } from '../../../shared/metrics/page-metrics-schemas.ts';
import { recordOf } from '../../../shared/record.ts';
import type { RunView } from '../../../shared/run.ts';
import { printableValue } from '../../../shared/text.ts';
import type { Client } from '../../api/client.ts';
import { ServiceFaultError, UsageError } from '../exit-codes.ts';
import type { CheckResult } from './result.ts';

/** Returns the results that the service has for the assertions of a check, by the id of the run. */
export const storedResults = ({ runs }: Pick<CheckView, 'runs'>): CheckResult['assertions'] =>
  Object.fromEntries(runs.flatMap(({ id, assertions }) => (assertions ? [[id, assertions]] : [])));

/** Throws a UsageError if the method of an assertion needs more reports of a check than the service keeps. */
export const requireReports = ({ samples = 1 }: Pick<CheckView, 'samples'>, assertions: CheckAssertions): void => {
  const [fault] = samples === 1 ? [] : faultsOfMethods(assertions);
  if (fault) throw new UsageError(fault.message);
};

/**
 * Judges the reports of a check that exists by other assertions than those that it was created with. Returns the results by
 * the id of the run, and notes for the user.
 */
export const rejudge = async (
  client: Client,
  check: CheckView,
  assertions: CheckAssertions,
  signal: AbortSignal,
): Promise<{ assertions: CheckResult['assertions']; notes: string[] }> => {
  const judged = [];
  for (const run of check.runs.filter(({ state }) => state === 'succeeded')) {
    const report = await reportOf(client, run, signal);
    const measured = { contended: run.environment?.contended === true, samples: run.samples.map(numbersOf) };
    judged.push({ run, ...printableValue(judge(assertions, report, measured, matches)) });
  }
  return {
    assertions: Object.fromEntries(judged.map(({ run, results }) => [run.id, results])),
    notes: [...new Set(judged.flatMap(({ notes }) => notes))],
  };
};

/** The pattern is the user's own, so it need not be one of RE2. */
const matches = (pattern: string, url: string): boolean => new RegExp(pattern).test(url);

/** Returns a sample with its times as numbers. */
const numbersOf = (sample: RunView['samples'][number]): Sample => ({
  ...sample,
  ...recordOf(metricNames, (name) => {
    const value = sample[name];
    return typeof value === 'string' ? Number.parseFloat(value) : value;
  }),
});

const reportOf = async (client: Client, { id }: RunView, signal: AbortSignal): Promise<AssertedReport> => {
  const { data: report } = AssertedReport.safeParse(await client.report(id, { signal }));
  if (!report) throw new ServiceFaultError(`The service has no Lighthouse report of the run ${id}.`);
  return report;
};
