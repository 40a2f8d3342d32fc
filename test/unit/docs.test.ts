import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { auditVersions } from '../../shared/audit-versions.ts';
import { CreateCheckBody } from '../../shared/check.ts';
import { apiProblems, runProblems } from '../../shared/problems.ts';
import { RunView } from '../../shared/run.ts';
import { CorsEnv } from '../../shared/service/env.ts';
import { limitNames, planLimits, plans } from '../../shared/service/plans.ts';
import { routes } from '../../shared/service/routes.ts';

const root = join(import.meta.dirname, '../..');
const notOurs = new Set(['node_modules', 'dist', 'cdk.out', '.git', '.local', '.chromium']);

/** Returns the Markdown files of the repository, as paths from its root. */
const pagesIn = (folder = ''): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return notOurs.has(entry.name) ? [] : pagesIn(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });

const textOf = (page: string) => readFileSync(join(root, page), 'utf8');
const withoutCodeBlocks = (text: string) => text.replace(/^( *)```.*?^\1```$/gms, '');
const withoutCode = (text: string) => withoutCodeBlocks(text).replace(/`[^`\n]*`/g, '');

/** Returns the anchors that GitHub gives to the headings of a page. */
const anchorsOf = (text: string): string[] => {
  const seen = new Map<string, number>();
  return [...withoutCodeBlocks(text).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
};

/** Returns why a link of a page is broken, or nothing. */
const faultOf = (page: string, link: string): string[] => {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(root, target))) return [`${page}: ${link}: no such file`];
  if (!anchor || !statSync(join(root, target)).isFile()) return [];
  return anchorsOf(textOf(target)).includes(anchor) ? [] : [`${page}: ${link}: no such heading`];
};

const linksOf = (text: string): string[] =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => (/^[a-z]+:/.test(link) ? [] : link));

/** Returns the files and folders of the repository that a page names in code. */
const pathsOf = (text: string): string[] =>
  [...withoutCodeBlocks(text).matchAll(/`((?:shared|functions|infra|clients|test|\.github)\/[\w./-]*)`/g)].map(
    ([, path = '']) => path,
  );

const pages = pagesIn();

test('the repository has documentation', () => {
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'infra/RUNBOOK.md', 'test/bench/RESULTS.md']));
});

describe.each(pages)('%s', (page) => {
  test('every relative link leads to a file and a heading that exist', () => {
    expect(linksOf(textOf(page)).flatMap((link) => faultOf(page, link))).toEqual([]);
  });

  test('every file and folder that is named in code exists', () => {
    expect(pathsOf(textOf(page)).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

describe('README.md', () => {
  const readme = textOf('README.md');

  test('has every folder in its map', () => {
    const map = readme.split('## Read the code')[1] ?? '';
    const inside = (folder: string) =>
      readdirSync(join(root, folder), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name);
    const named = [
      'shared',
      'functions',
      'functions/auditor',
      'functions/lib',
      'infra',
      'clients',
      'clients/web',
      'test',
    ];
    const folders = named.flatMap((folder) => [...folder.split('/').slice(-1), ...inside(folder)]);
    expect(folders.filter((name) => !new RegExp(`\`${name}/?\``).test(map))).toEqual([]);
  });

  test('has at most 160 lines', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(160);
  });
});

describe('shared/API.md', () => {
  const text = textOf('shared/API.md');
  const sectionOf = (heading: string) => text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const missingIn = (section: string, names: readonly string[]) =>
    names.filter((name) => !section.includes(`\`${name}\``));

  test('lists every endpoint and no other', () => {
    const listed = [...sectionOf('All routes').matchAll(/`(GET|POST|DELETE|PUT|PATCH) (\/[^`]*)`/g)].map(
      ([, method, path]) => `${method} ${path}`,
    );
    expect([...new Set(listed)].sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
  });

  test('has each part in its contents', () => {
    const linked = [...sectionOf('Contents').matchAll(/\]\((#[^)]+)\)/g)].map(([, anchor]) => anchor);
    const parts = [...text.matchAll(/^## (?!Contents)(.*)$/gm)].map(
      ([, heading = '']) => `#${heading.toLowerCase().replaceAll(' ', '-')}`,
    );
    expect(linked.sort()).toEqual(parts.sort());
  });

  test('has every input of a check and every audit version', () => {
    const versions = auditVersions.map(({ version }) => version);
    expect(missingIn(sectionOf('Create a check'), [...Object.keys(CreateCheckBody.shape), ...versions])).toEqual([]);
  });

  test('lists every error code', () => {
    const codes = [...Object.keys(apiProblems), ...Object.keys(runProblems)];
    expect(codes.filter((code) => !text.includes(`\`${code}\``))).toEqual([]);
  });

  test('has every field of a run', () => {
    expect(missingIn(sectionOf('Read a run'), Object.keys(RunView.shape))).toEqual([]);
  });
});

test('infra/KEYS.md has the limits of every plan', () => {
  const heading = `| plan | ${limitNames.map((name) => planLimits[name].text).join(' | ')} |`;
  const rows = Object.entries(plans).map(([name, quotas]) => {
    const numbers = limitNames.map((limit) => quotas[limit].toLocaleString('en'));
    return `| \`${name}\` | ${numbers.join(' | ')} |`;
  });
  expect([heading, ...rows].filter((row) => !textOf('infra/KEYS.md').includes(row))).toEqual([]);
});

test('infra/local/SETTINGS.md has every setting of npm start and no other', () => {
  const documented = [...textOf('infra/local/SETTINGS.md').matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name]) => name);
  const source = textOf('infra/local/start-settings.ts').split('const Settings')[1]?.split('});')[0] ?? '';
  const settings = [...source.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => name);
  expect(documented.sort()).toEqual([...settings, ...Object.keys(CorsEnv.shape)].sort());
});

describe('infra/RUNBOOK.md', () => {
  const runbook = textOf('infra/RUNBOOK.md');
  const sourceOf = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => textOf(join(folder, path)))
      .join('\n');

  test('every log line that it names is one of a function', () => {
    const lines = [...runbook.matchAll(/`"([^"`]+)"`/g)].map(([, line = '']) => line);
    const functions = sourceOf('functions');
    const parts = lines.filter((line) => line !== 'all').flatMap((line) => line.split(' … '));
    expect(parts.length).toBeGreaterThan(5);
    expect(parts.filter((part) => !functions.includes(part))).toEqual([]);
  });

  test('every dashboard row that it names exists', () => {
    const rows = [...runbook.matchAll(/[Rr]ow "([^"]+)"/g)].map(([, row = '']) => row);
    const infra = sourceOf('infra/aws');
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.filter((row) => !infra.includes(`'${row}'`))).toEqual([]);
  });
});

test('the cost in README is that of the table in DEPLOY.md', () => {
  const [, table = ''] = textOf('infra/DEPLOY.md').split('Dollars per 1,000 runs in `prod`, at so many runs a month:');
  const all = /^\| \*\*all\*\* .*$/m.exec(table)?.[0].match(/\d+\.\d+/g) ?? [];
  const [, dollars] = /about \$(\d+\.\d\d) per 1,000 runs at 100,000 runs a month/.exec(textOf('README.md')) ?? [];
  expect(dollars).toBe(Number(all[1]).toFixed(2));
});
