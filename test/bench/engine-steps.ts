import { median } from './numbers.ts';

/** A page as `page-audit run --format json` shows its check. */
export type MeasuredPage = {
  url: string;
  runs: { state: string; samples: Record<string, string | number | null>[] }[];
};

type Given = { from: string; to: string; before: readonly MeasuredPage[]; after: readonly MeasuredPage[] };

const columns = {
  performance: 'Performance',
  accessibility: 'Accessibility',
  bestPractices: 'Best Practices',
  seo: 'SEO',
  fcp: 'FCP',
  lcp: 'LCP',
  tbt: 'TBT',
  cls: 'CLS',
};

/** Returns the medians of each page by two releases of Chromium, as Markdown. */
export const chromiumSteps = ({ from, to, before, after }: Given): string => {
  const rows = before.map((page) => {
    const same = after.find(({ url }) => url === page.url);
    return `| ${[page.url, ...Object.keys(columns).map((name) => stepOf(page, same, name))].join(' | ')} |`;
  });
  const names = ['page', ...Object.values(columns)];
  const lines = [
    `Chromium ${from} → ${to}, medians of separate audits. A difference of times may be noise.`,
    '',
    `| ${names.join(' | ')} |`,
    `|${names.map(() => ' --- |').join('')}`,
    ...rows,
  ];
  return `${lines.join('\n')}\n`;
};

const stepOf = (before: MeasuredPage, after: MeasuredPage | undefined, name: string): string => {
  const [base, value] = [before, after].map((page) => textOf(page, name));
  return base === value ? `${value}` : `${base} → ${value}`;
};

const textOf = (page: MeasuredPage | undefined, name: string): string => {
  const values = (page?.runs ?? []).flatMap(({ samples }) =>
    samples.flatMap((sample) => (sample[name] == null ? [] : [Number.parseFloat(`${sample[name]}`)])),
  );
  if (values.length === 0) return 'none';
  const middle = median(values);
  if (name === 'cls') return middle.toFixed(3);
  return /^(fcp|lcp|tbt)$/.test(name) ? `${Math.round(middle)} ms` : `${Math.round(middle)}`;
};
