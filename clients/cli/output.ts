import type { Check } from '../client.ts';
import type { CheckResult } from './result.ts';

/** Returns the results as text for people, or as JSON. */
export const render = (results: readonly CheckResult[], format: 'text' | 'json'): string =>
  format === 'json' ? `${JSON.stringify(results, null, 2)}\n` : results.map(asText).join('\n');

const rows = [
  ['Performance', 'performance'],
  ['Accessibility', 'accessibility'],
  ['Best practices', 'bestPractices'],
  ['SEO', 'seo'],
  ['FCP', 'fcp'],
  ['LCP', 'lcp'],
  ['TBT', 'tbt'],
  ['CLS', 'cls'],
] as const;

const asText = ({ check, comparison, server }: CheckResult): string => {
  const { runs, samples = 1, device = 'mobile' } = check;
  const header = `${check.url}   Lighthouse ${check.auditVersion}, ${device}, ${samples} sample${samples > 1 ? 's' : ''}`;
  const table = rows.map(([title, name]) => [
    title,
    ...runs.map((run) => `${run[name] ?? '-'}`),
    comparison?.metrics[name]?.verdict ?? '',
  ]);
  const titles = ['', ...runs.map(({ region }) => region), ''];
  const widths = titles.map((_, i) => Math.max(...[titles, ...table].map((row) => row[i]?.length ?? 0)));
  const lines = [titles, ...table].map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const warnings = runs.flatMap(({ region, warnings, error }) => [
    ...(error ? [`✘ ${region}: ${error.code}: ${error.message}`] : []),
    ...warnings.map((each) => `! ${region}: ${each}`),
  ]);
  const link = server ? `\nCheck  ${server}/checks/${check.id}` : '';
  return `${[header, ...lines, ...warnings].join('\n')}${link}\n`;
};

/** Returns the state of each run, for the progress of a check. */
export const progressOf = ({ url, runs, device, samples = 1 }: Check): Map<string, string> =>
  new Map(
    runs.map(({ region, state, samples: taken, error }) => {
      const count = samples > 1 && state === 'running' ? `, ${taken.length} of ${samples} samples` : '';
      const reason = error ? `: ${error.code}` : '';
      return [`${region}  ${url}  ${device ?? 'mobile'}`, `${state}${count}${reason}`];
    }),
  );
