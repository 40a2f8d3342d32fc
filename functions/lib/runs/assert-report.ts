import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { AssertedInteraction } from '../../../shared/assertions/interactions.ts';
import { type Judged, judge } from '../../../shared/assertions/judge.ts';
import type { CheckAssertions } from '../../../shared/assertions/sets.ts';
import { AssertedReport } from '../../../shared/assertions/values.ts';
import type { Environment } from '../../../shared/environment.ts';
import type { Sample } from '../../../shared/metrics/page-metrics-schemas.ts';
import { matchesPattern } from '../patterns.ts';
import { redactText } from '../redact.ts';

export type Measured = {
  samples?: readonly Sample[];
  environment: Pick<Environment, 'contended'> | null;
  interactions?: readonly AssertedInteraction[] | null;
};

const unzip = promisify(gunzip);

/** Returns the results of assertions on a gzipped report. Messages may quote the page, so they are redacted. */
export const assertReport = async (
  gzip: Buffer,
  assertions: CheckAssertions,
  { environment, samples = [], interactions = null }: Measured,
): Promise<Judged> => {
  const report = { ...AssertedReport.parse(JSON.parse((await unzip(gzip)).toString())), interactions };
  const measured = { contended: environment?.contended === true, samples };
  const { results, notes } = judge(assertions, report, measured, matchesPattern);
  return {
    results: results.map((each) => ({ ...each, message: redactText(each.message) })),
    notes: notes.map(redactText),
  };
};
