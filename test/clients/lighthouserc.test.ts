import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { UsageError } from '../../clients/cli/exit-codes.ts';
import { readBudgets } from '../../clients/cli/lighthouserc/budget.ts';
import { setsOfFile } from '../../clients/cli/lighthouserc/lighthouserc.ts';
import { readLighthouserc } from '../../clients/cli/lighthouserc/parts.ts';
import { readRules } from '../../clients/cli/lighthouserc/rules.ts';
import { matchesPattern } from '../../functions/lib/patterns.ts';
import { judge } from '../../shared/assertions/judge.ts';
import { presets } from '../../shared/assertions/presets.ts';
import type { CheckAssertions } from '../../shared/assertions/sets.ts';
import type { AssertedReport } from '../../shared/assertions/values.ts';
import { assertionCases, type Row, readOutcomes, reportOfCases, rowOfResult } from '../support/assertion-cases.ts';
import { majorVersions } from '../support/major-versions.ts';

const folder = mkdtempSync(join(tmpdir(), 'lighthouserc-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a file and returns its path. */
const file = (name: string, content: unknown): string => {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  return path;
};
const rc = (assert: unknown, name = 'lighthouserc.json') => file(name, { ci: { assert } });
const newest = reportOfCases('13.5.0');
const readSets = async (path: string) => setsOfFile(await readLighthouserc(path));
const mapsOf = async (path: string) => (await readSets(path)).map(({ assertions }) => assertions);
const judged = (sets: CheckAssertions, report = newest) => judge(sets, report, {}, matchesPattern);
/** Returns the message of a refusal, with the file's name in place of its path. */
const refusalOf = async (read: () => Promise<unknown>): Promise<string> => {
  try {
    await read();
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message.replaceAll(`${folder}/`, '');
  }
  throw new Error('The file was accepted.');
};

describe.each(majorVersions)('Lighthouse CI and this service agree on the $version report', ({ version }) => {
  const outcomes = readOutcomes();
  const report = reportOfCases(version);
  const cases = assertionCases(report).filter((each) =>
    'budgets' in each ? true : 'assertMatrix' in each.options || 'preset' in each.options,
  );
  /** An audit that the report lacks, from a preset alone, has no result here and a failed one in Lighthouse CI. */
  const isSkipped = ([key, name]: Row, own: readonly string[]) =>
    name === 'auditRan' && key in presets['lighthouse:all'] && !own.includes(key);

  test.each(cases)('$name', async ({ name, ...given }) => {
    const sets =
      'budgets' in given
        ? await readBudgets(file('budget.json', given.budgets))
        : await readSets(rc(given.options, `${name}.json`));
    const { results, notes } = judged(sets, report);
    const own = 'options' in given && 'assertions' in given.options ? Object.keys(given.options.assertions ?? {}) : [];
    const theirs = outcomes[`${version} ${name}`] ?? [];
    const skipped = 'budgets' in given ? [] : theirs.filter((row) => isSkipped(row, own));
    expect(results.map(rowOfResult)).toEqual(theirs.filter((row) => !skipped.includes(row)));
    expect(notes.join()).toMatch(
      skipped.length > 0 ? new RegExp(`^${skipped.length} assertions? of the preset`) : /^$/,
    );
  });
});

test('the service gets the sets of both files, and one set for all pages in short', async () => {
  const own = { 'image-alt': 'warn' as const, 'categories:seo': 'error' as const };
  const assertionsOf = async (assert: object, more: object = {}) =>
    (await readRules({ assert: rc(assert, 'sent.json'), ...more })).assertions;
  expect(await assertionsOf({ assertions: own })).toEqual(own);
  const set = { preset: 'lighthouse:all', assertions: own, aggregationMethod: 'median-run' };
  const sent = { preset: 'lighthouse:all', assertions: own, aggregation: 'median-run' };
  expect(await assertionsOf(set)).toEqual([sent]);
  const gate = { assertions: { 'categories:performance': ['error', { minScore: 0.75 }] } };
  const assertMatrix = [
    { ...set, matchingUrlPattern: '/faulty$' },
    { matchingUrlPattern: '/other$', assertions: { tabindex: 'off' } },
  ];
  expect(await assertionsOf({ assertMatrix }, { budget: '75' })).toEqual([{ pattern: '/faulty$', ...sent }, gate]);
});

test('a note counts the assertions of a preset on audits that the report lacks', async () => {
  const { notes } = judged(await readSets(rc({ preset: 'lighthouse:recommended' })));
  expect(notes).toEqual([
    expect.stringMatching(
      /^\d+ assertions of the preset are about audits that Lighthouse 13\.5\.0 doesn't have in the categories performance, accessibility, best-practices, seo\.$/,
    ),
  ]);
});

test("the user's own assertion on an audit that the report lacks stays, though a preset has it too", async () => {
  const path = rc({ preset: 'lighthouse:all', assertions: { 'first-meaningful-paint': 'warn' } });
  const { results } = judged(await readSets(path));
  expect(results.filter(({ name }) => name === 'auditRan')).toMatchObject([
    { key: 'first-meaningful-paint', level: 'warn', passed: false },
  ]);
});

const assertions = { 'categories:seo': ['error', { minScore: 0.9 }] };
test.each<[string, unknown]>([
  ['lighthouserc.json', { ci: { assert: { assertions } } }],
  [
    'lighthouserc.json',
    '{\n\t"lhci": { "assert": { "assertions": { "categories.seo": ["error", { "minScore": 0.9 }] } } }\n}',
  ],
  ['lighthouserc.json', { ci: { collect: { url: ['http://localhost'] } }, 'ci:client': { assert: { assertions } } }],
  ['lighthouserc.yml', 'ci:\n  assert:\n    assertions:\n      categories:seo: [error, { minScore: 0.9 }]\n'],
  ['lighthouserc.yaml', 'x: &seo [error, { minScore: 0.9 }]\nci: { assert: { assertions: { categories:seo: *seo } } }'],
  ['lighthouserc.cjs', `module.exports = ${JSON.stringify({ ci: { assert: { assertions } } })};`],
  ['lighthouserc.js', `module.exports = ${JSON.stringify({ ci: { assert: { assertions } } })};`],
  ['lighthouserc.mjs', `export default ${JSON.stringify({ ci: { assert: { assertions } } })};`],
])('%s is read: %j', async (name, content) => {
  expect(await mapsOf(file(`form-${String(content).length}/${name}`, content))).toEqual([assertions]);
});

test('a file extends another one, and its own assertions win', async () => {
  file('base/base.json', {
    ci: { assert: { assertions: { 'image-alt': ['warn', { minScore: 0.5 }], label: 'warn' } } },
  });
  const path = file('extending.json', {
    ci: { extends: './base/base.json', assert: { assertions: { 'image-alt': ['error'] } } },
  });
  expect(await mapsOf(path)).toEqual([{ 'image-alt': ['error', { minScore: 0.5 }], label: 'warn' }]);
});

test('a file names a budget file', async () => {
  const budgetsFile = file('budget.json', [{ resourceSizes: [{ resourceType: 'script', budget: 2 }] }]);
  expect(await mapsOf(rc({ budgetsFile }))).toEqual([
    { 'resource-summary:script:size': ['error', { maxNumericValue: 2048 }] },
  ]);
});

test('entries of a matrix apply to the final URL', async () => {
  const report = { ...newest, finalUrl: 'https://example.com/blog/1' } as AssertedReport;
  const path = rc({
    assertMatrix: [
      { matchingUrlPattern: '/blog/', assertions: { label: 'warn' } },
      { matchingUrlPattern: '/shop/', assertions: { label: 'error' } },
      { matchingUrlPattern: '^https://example.com', assertions: { bypass: 'warn' } },
    ],
  });
  const sets = await readSets(path);
  expect(judged(sets, report).results.map(({ key, level }) => [key, level])).toEqual([
    ['label', 'warn'],
    ['bypass', 'warn'],
  ]);
  expect(judged(sets, { ...report, finalUrl: 'https://example.org/' })).toEqual({
    results: [],
    notes: ['No assertion is about https://example.org/.'],
  });
});

test.each<[string, string, string]>([
  [
    'a.json',
    '{\n  "ci": {\n    "assert": }\n}',
    'a.json:3:15: ci.assert: Expected an object. The accepted keys are preset, assertions, aggregationMethod, matchingUrlPattern, assertMatrix, budgetsFile, includePassedAssertions.',
  ],
  [
    'a.json',
    '{\n  "ci": {\n    "assert": {} "collect": {} }\n}',
    'a.json:3:18: The file is not valid JSON. A comma or a bracket may be missing before it.',
  ],
  ['a.json', '{ "ci": ', 'a.json:1:9: The file is not valid JSON. Flow map must end with a }.'],
  [
    'a.yml',
    'ci:\n  assert: [1\n  other: 2\n',
    'a.yml:3:3: The file is not valid YAML. Flow sequence in block collection must be sufficiently indented and end with a ].',
  ],
  [
    'a.yml',
    'ci:\n  assert: *base\n',
    'a.yml: The file is not valid YAML. Unresolved alias (the anchor must be set before the alias): base.',
  ],
  [
    'a.json',
    '{ "ci": { "assert": { "preset": "lighthouse:all", "preset": "lighthouse:all" } } }',
    'a.json:1:51: The file is not valid JSON. Map keys must be unique.',
  ],
  ['a.cjs', 'module.exports = {\n  ci: { assert: },\n};\n', "a.cjs:2:17: SyntaxError: Unexpected token '}'"],
  ['a.mjs', 'export default {\n  ci: { assert: },\n};\n', "a.mjs:2:17: SyntaxError: Unexpected token '}'"],
  ['a.cjs', 'const a = 1;\nmodule.exports = b;\n', 'a.cjs:2:18: ReferenceError: b is not defined'],
  ['a.cjs', "module.exports = require('./missing');\n", "a.cjs:1:18: Error: Cannot find module './missing'"],
  ['a.cjs', "throw 'text';\n", 'a.cjs: Error: text'],
  [
    'module/a.js',
    'module.exports = {};\n',
    "module/a.js:1:1: ReferenceError: module is not defined in ES module scope\nThis file is being treated as an ES module because it has a '.js' file extension and 'module/package.json' contains \"type\": \"module\". To treat it as a CommonJS script, rename it to use the '.cjs' file extension.",
  ],
  ['a.json', '', 'a.json is empty.'],
  ['a.yml', '# nothing\n', 'a.yml is empty.'],
  ['a.cjs', '\n', 'a.cjs is empty.'],
  ['a.json', 'null', 'a.json is empty.'],
  ['a.json', '[]', 'a.json:1:1: Expected an object such as { "ci": { "assert": { "assertions": {} } } }.'],
  ['a.json', 'some text', 'a.json:1:1: Expected an object such as { "ci": { "assert": { "assertions": {} } } }.'],
  ['a.json', '{}', 'a.json has no assertions. Write them to ci.assert.assertions.'],
  ['a.json', '{ "ci": { "assert": {} } }', 'a.json has no assertions. Write them to ci.assert.assertions.'],
  [
    'a.json',
    '{ "ci": {\n"assert": { "preset": "lighthouse:best" } } }',
    'a.json:2:23: ci.assert.preset: The presets are lighthouse:all, lighthouse:recommended, lighthouse:no-pwa.',
  ],
  [
    'a.json',
    '{ "ci": { "assert": { "assertions": {\n "label": { "minScore": 1 },\n "bypass": ["warn", { "minScore": 90 }],\n "categories:seo:score": "warn" } }, "collect": {\n"numberOfRuns": "many" } } }',
    [
      'a.json:2:11: ci.assert.assertions.label: The assertion must be off, warn, error, or a list such as ["warn", { "minScore": 0.9 }].',
      'a.json:3:35: ci.assert.assertions.bypass.1.minScore: A score is from 0 to 1.',
      'a.json:4:26: ci.assert.assertions.categories:seo:score: Write the key as categories:<id>.',
      'a.json:5:17: ci.collect.numberOfRuns: Expected a number.',
    ].join('\n'),
  ],
  ['a.json', '{\n  // limits\n  "ci": {} }', 'a.json:2:3: JSON has no comments. Remove it, or write the file as YAML.'],
  [
    'a.json',
    '{ "ci": {} /* no limits */ }',
    'a.json:1:12: JSON has no comments. Remove it, or write the file as YAML.',
  ],
  [
    'a.json',
    '{ "ci": { "assert": { "assertMatrix": [{ "matchingUrlPattern": "(" }] } } }',
    'a.json:1:64: ci.assert.assertMatrix.0.matchingUrlPattern: Expected a regular expression.',
  ],
  [
    'a.json',
    '{ "ci": { "assert": { "assertMatrix": [{ "matchingUrlPattern": "(" }] } } }',
    'a.json:1:64: ci.assert.assertMatrix.0.matchingUrlPattern: Expected a regular expression.',
  ],
  [
    'a.json',
    '{ "ci": { "assert": { "assertMatrix": [], "preset": "lighthouse:all" } } }',
    "a.json: assertMatrix can't stand beside preset. Keep one of them.",
  ],
  [
    'a.json',
    '{ "ci": { "assert": { "budgetsFile": "b.json", "assertions": {} } } }',
    "a.json: budgetsFile can't stand beside assertions. Keep one of them.",
  ],
  [
    'a.cjs',
    'module.exports = { ci: { assert: { preset: "all" } } };',
    'a.cjs: ci.assert.preset: The presets are lighthouse:all, lighthouse:recommended, lighthouse:no-pwa.',
  ],
  ['a.json', '{ "ci": { "extends": "a.json" } }', 'a.json extends itself.'],
  ['a.json', '{ "ci": { "extends": "none.json" } }', 'none.json does not exist. Name a readable file.'],
])('%s with %j is refused', async (name, content, message) => {
  file('module/package.json', { type: 'module' });
  expect(await refusalOf(() => readSets(file(name, content)))).toBe(message);
});

test('keys, levels and options that Lighthouse CI ignores are warnings with their place', async () => {
  const ignored = {
    'image-alt': 'fatal',
    bypass: null,
    tabindex: ['critical', { minScore: '0.5' }, 1],
    label: ['error', { minScores: 1 }],
    'html-has-lang': ['error', 0.5],
    documentTitle: 'error',
    'meta-viewport:items': 'error',
  };
  const text = JSON.stringify({ ci: { server: {}, assert: { presets: 1, assertions: ignored } } }, null, 1);
  const rc = await readLighthouserc(file('ignored.json', text));
  expect(rc.assert?.assertions).toEqual({
    'image-alt': 'warn',
    bypass: 'off',
    tabindex: ['warn', { minScore: 0.5 }],
    label: ['error', {}],
    'html-has-lang': ['error'],
    'meta-viewport': 'error',
  });
  const place = /^.*\/ignored\.json:\d+:\d+: ci\.assert\./;
  for (const note of rc.notes.assert) expect(note).toMatch(place);
  expect(rc.notes.assert.map((note) => note.replace(place, ''))).toEqual([
    expect.stringMatching(/^presets: The key has no effect. The accepted keys are preset, /),
    'assertions.image-alt: "fatal" is no level, so it counts as warn. The levels are off, warn, error.',
    'assertions.bypass: The assertion has no level, so it is off.',
    'assertions.tabindex: The list has a level and options. Everything after them has no effect.',
    'assertions.tabindex: "critical" is no level, so it counts as warn. The levels are off, warn, error.',
    'assertions.label: The option minScores has no effect. The options are minScore, maxLength, maxNumericValue, aggregationMethod.',
    'assertions.html-has-lang: The options are no object, so they have no effect.',
    'assertions.documentTitle: The assertion has no effect, because no audit has capitals. Write "document-title".',
    'assertions.meta-viewport:items: The audit meta-viewport has no parts. The assertion is about all of it.',
  ]);
  expect(rc.notes.collect).toEqual([
    expect.stringMatching(/ignored\.json:\d+:\d+: ci\.server: The part has no effect\.$/),
  ]);
});

test('an ES module waits for its top-level await', async () => {
  const content = `export default await Promise.resolve(${JSON.stringify({ ci: { assert: { assertions } } })});`;
  expect(await mapsOf(file('await/lighthouserc.mjs', content))).toEqual([assertions]);
});

test('a file that does not exist and a folder are refused', async () => {
  expect(await refusalOf(() => readSets(join(folder, 'none.json')))).toBe(
    'none.json does not exist. Name a readable file.',
  );
  expect(await refusalOf(() => readSets(folder))).toMatch(/ is a folder\. Name a readable file\.$/);
});

test.each<[unknown, string]>([
  [{ path: '/' }, 'b.json:1:1: Expected a list of budgets.'],
  [[], 'b.json:1:1: The list of budgets is empty.'],
  [[{ path: 'blog' }], 'b.json:1:10: 0.path: A path starts with /. It may have one * and end with one $.'],
  [[{ path: '/*/*' }], 'b.json:1:10: 0.path: A path starts with /. It may have one * and end with one $.'],
  [[{ path: '/a$b' }], 'b.json:1:10: 0.path: A path starts with /. It may have one * and end with one $.'],
  [
    [{ sizes: [] }],
    'b.json:1:11: 0.sizes: Unknown key. The accepted keys are path, options, resourceSizes, resourceCounts, timings.',
  ],
  [
    [{ timings: [{ metric: 'lcp', budget: 1 }] }],
    'b.json:1:24: 0.timings.0.metric: Expected one of first-contentful-paint, interactive, first-meaningful-paint, max-potential-fid, total-blocking-time, speed-index, largest-contentful-paint, cumulative-layout-shift.',
  ],
  [
    [{ timings: [{ metric: 'interactive', budget: '1' }] }],
    'b.json:1:47: 0.timings.0.budget: Invalid input: expected number, received string',
  ],
  [
    [{ resourceSizes: [{ resourceType: 'scripts', budget: 1 }] }],
    'b.json:1:36: 0.resourceSizes.0.resourceType: Expected one of total, document, script, stylesheet, image, media, font, other, third-party.',
  ],
  [
    [
      {
        resourceCounts: [
          { resourceType: 'script', budget: 1 },
          { resourceType: 'script', budget: 2 },
        ],
      },
    ],
    'b.json:1:20: 0.resourceCounts: The list has a type twice.',
  ],
  [
    [{ resourceCounts: [{ resourceType: 'script', budget: 1, tolerance: 2 }] }],
    'b.json:1:69: 0.resourceCounts.0.tolerance: Unknown key. The accepted keys are resourceType, budget.',
  ],
])('the budget %j is refused', async (content, message) => {
  expect(await refusalOf(() => readBudgets(file('b.json', JSON.stringify(content))))).toBe(message);
});
