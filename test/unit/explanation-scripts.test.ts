import { expect, test } from 'vitest';
import { auditVersions } from '../../shared/audit-versions.ts';
import { explain } from '../../shared/explanation/explanation.ts';
import { factsOf } from '../../shared/explanation/facts.ts';
import type { Verdicts } from '../../shared/explanation/points.ts';
import type { Report } from '../../shared/explanation/report.ts';
import type { Explanation } from '../../shared/explanation/schema.ts';
import { knownCauses, type SiteState } from '../support/changing-site.ts';
import { nameOf, readReports, verdictsOf } from '../support/recorded-explanations.ts';

const reports = readReports();
const { before = {}, after } = knownCauses['a script added'] as { before?: SiteState; after: SiteState };
const [base, now] = [before, after].map((state) => reports[nameOf(auditVersions[0].version, state)]) as [
  Report,
  Report,
];
const explained = (from: Report, to: Report, verdicts: Verdicts = verdictsOf(from, to)) =>
  explain(factsOf(from), factsOf(to), verdicts);

/** Moves a page and its own files into a folder, as some previews are. */
const inFolder = (report: Report, folder: string): Report => {
  const { origin } = new URL(report.mainDocumentUrl ?? report.finalUrl ?? '');
  return JSON.parse(JSON.stringify(report).replaceAll(`${origin}/`, `${origin}${folder}`));
};

test('a file of a preview in a folder of its own is no new file', () => {
  const [explanation, moved] = [explained(base, now), explained(base, inFolder(now, '/pull/12/'))];
  const namesOf = ({ requests }: Explanation) =>
    Object.entries(requests).flatMap(([list, all]) =>
      all.map(({ url, bytes }) => [list, url.split('/').at(-1), bytes]),
    );
  expect(namesOf(moved)).toEqual(namesOf(explanation));
  expect(moved.sentence.replaceAll('/pull/12/', '/')).toBe(explanation.sentence);
});

test('a script is named if only the CPU time of the main thread has a verdict', () => {
  const { sentence } = explained(base, now, { mainThreadCpu: { verdict: 'regressed', change: 250 } });
  expect(sentence).toMatch(/^The main thread works 250 ms longer: new .*script \/chat\S+ keeps the main thread busy/);
});
