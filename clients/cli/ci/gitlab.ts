import { createHash } from 'node:crypto';
import { jsonOf, type Results } from '../formats/json.ts';
import { outcomeOf, worstFirst } from '../formats/outcome.ts';
import { writeOutput } from '../formats/output.ts';
import { linkOf } from '../formats/titles.ts';
import type { CheckResult } from '../run/result.ts';
import { allFindings } from './findings.ts';

/** Files of a job, which its artifacts name as `reports:codequality` and `reports:dotenv`. */
export const files = { codeQuality: 'gl-code-quality-report.json', variables: 'page-audit.env' };

const severities = { error: 'major', warning: 'minor' } as const;

/** Returns the report that GitLab shows in a merge request. The path of a fault is the address of its page. */
export const codeQualityOf = (results: Results, options: { allowEmpty?: boolean } = {}) => {
  const pages = results.checks.map(({ url }) => new URL(url));
  const hostsOf = Map.groupBy(pages, ({ pathname, search }) => pathname + search);
  return allFindings(results, options).map(({ url, device, level, kind, name, title, message }) => {
    const { host, pathname, search } = new URL(url);
    const hosts = new Set(hostsOf.get(pathname + search)?.map((page) => page.host));
    const place = [...hosts].indexOf(host); // not the host, which each preview has of its own
    return {
      description: `${title}. ${message}`,
      check_name: kind,
      fingerprint: createHash('sha256')
        .update(JSON.stringify([pathname, search, device, kind, name, ...(place > 0 ? [place] : [])]))
        .digest('hex'),
      severity: severities[level],
      location: { path: `${host}${pathname}`.replace(/\/$/, ''), lines: { begin: 1 } },
    };
  });
};

/** Returns variables for later jobs. No value is a text of a page. */
export const variablesOf = (results: readonly CheckResult[]): string => {
  const [worst] = worstFirst(results);
  const scores = results.flatMap(({ check }) => check.runs.flatMap(({ performance }) => performance ?? []));
  const link = worst && linkOf(worst);
  const outcomes = results.map(outcomeOf);
  const failed = outcomes.filter((each) => each === 'bad' || each === 'open').length;
  const isUnknown = failed === 0 && outcomes.includes('unjudged');
  return [
    `PAGE_AUDIT_PASSED=${isUnknown ? 'unknown' : results.length > 0 && failed === 0}`,
    `PAGE_AUDIT_CHECKS=${results.length}`,
    `PAGE_AUDIT_FAILED=${failed}`,
    ...(scores.length > 0 ? [`PAGE_AUDIT_LOWEST_PERFORMANCE=${Math.min(...scores)}`] : []),
    ...(link ? [`PAGE_AUDIT_REPORT=${link}`] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
};

/** Writes both files to the folder of the job. */
export const reportToGitLab = async (
  results: readonly CheckResult[],
  { allowEmpty = false }: { allowEmpty?: boolean | undefined },
): Promise<void> => {
  const quality = codeQualityOf(JSON.parse(jsonOf(results)), { allowEmpty });
  await writeOutput(files.codeQuality, `${JSON.stringify(quality, null, 2)}\n`);
  await writeOutput(files.variables, variablesOf(results));
};
