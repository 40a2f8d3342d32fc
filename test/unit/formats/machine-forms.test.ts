import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { csvOf } from '../../../clients/cli/formats/csv.ts';
import { jsonOf } from '../../../clients/cli/formats/json.ts';
import { junitOf } from '../../../clients/cli/formats/junit.ts';
import { CheckView } from '../../../shared/check.ts';
import { interactionView } from '../../../shared/interactions/interactions-schemas.ts';
import { csvOptions } from '../../../shared/run-csv.ts';
import { printable, printableValue } from '../../../shared/text.ts';
import { anInteraction } from '../../support/an-interaction.ts';
import { cases, hostileText } from './cases.ts';

const all = Object.entries(cases);
const schema = readFileSync('test/support/junit.xsd', 'utf8');

const errorsOf = async (xml: string) => (await validateXML({ xml, schema })).errors.map(({ message }) => message);

test.each(all)('%s as JUnit is valid', async (_, results) => {
  expect(await errorsOf(junitOf(results()))).toEqual([]);
});

test('no checks are valid JUnit, and the schema refuses another form', async () => {
  const xml = junitOf([]);
  expect(await errorsOf(xml)).toEqual([]);
  expect(await errorsOf(xml.replace(/tests="\d+"/, ''))).not.toEqual([]);
});

test('JUnit reports the fault of a page as a failure, and a fault of the service as an error', () => {
  const xml = junitOf(cases.failed?.() ?? []);
  expect(xml).toMatch(/<testsuites tests="3" failures="1" errors="2" skipped="0">/);
  expect(xml).toMatch(/name="us-west1 audit"[^>]*>\s*<failure [^>]*type="http-error"/);
  expect(xml).toMatch(/name="us-east4 audit"[^>]*>\s*<error [^>]*type="browser-crashed"/);
});

test('JUnit fails for an assertion of level error and for a regression, not for a warning', () => {
  expect(junitOf(cases.assertions?.() ?? [])).toContain('<testsuites tests="6" failures="3" errors="0"');
  expect(junitOf(cases.regression?.() ?? [])).toContain('<testsuites tests="2" failures="1" errors="0"');
});

test.each(all)('%s as JSON is the check as the API shows it, and more', (_, results) => {
  const { checks } = JSON.parse(jsonOf(results()));
  expect(checks.map((check: object) => CheckView.parse(check))).toEqual(results().map(({ check }) => check));
  for (const check of checks) expect(check).toMatchObject({ pageUrl: expect.stringContaining(check.id) });
});

test('JSON says whether the assertions passed, and has no character that steers a terminal', async () => {
  const json = jsonOf(cases.assertions?.() ?? []);
  await expect(json).toMatchFileSnapshot('snapshots/assertions.json.txt');
  const passed = (name: string) => JSON.parse(jsonOf(cases[name]?.() ?? [])).checks[0].assertionsPassed;
  expect([passed('assertions'), passed('one-region')]).toEqual([false, null]);
  const hostile = jsonOf(cases.hostile?.() ?? []);
  expect(hostile.replaceAll('\n', '')).not.toMatch(/\p{C}/u);
  expect(JSON.parse(hostile).checks[0].runs[0].warnings).toEqual([printable(hostileText)]);
});

test.each(all)('%s as CSV has a line for each run and the columns of the API', (name, results) => {
  const lines = csvOf(results()).split('\r\n');
  const columns = lines[0]?.split(',') ?? [];
  const added = columns.splice(csvOptions.columns.length);
  expect(columns).toEqual(csvOptions.columns);
  expect(added.includes('against.lcp')).toBe(name === 'variants');
  expect(added.includes('simulations')).toBe(name === 'sections');
  const runs = results().flatMap(({ check }) => check.runs);
  expect(lines.slice(1, -1).map((line) => line.split(',')[2])).toEqual(runs.map(({ id }) => id));
  expect(lines.at(-1)).toBe('');
});

test('CSV has a column for each metric of each interaction, in milliseconds', () => {
  const [result] = cases['one-region']?.() ?? [];
  if (!result) throw new Error('the case has a result');
  const menu = anInteraction([null], { name: 'menu' });
  const softNavigation = { url: 'https://shop.example/a', lcp: 401, cls: 0 };
  const interactions = [anInteraction([324], { softNavigation }), menu].map((each) =>
    interactionView(each, { report: null, change: null }),
  );
  const runs = result.check.runs.map((run) => ({ ...run, interactions }));
  const [header = '', line = ''] = csvOf([{ ...result, check: { ...result.check, runs } }]).split('\r\n');
  const ids = ['inp', 'tbt', 'cls', 'lcp'];
  expect(header.split(',').slice(-8)).toEqual(
    ['search', 'menu'].flatMap((name) => ids.map((id) => `interactions:${name}:${id}`)),
  );
  expect(line.split(',').slice(-8)).toEqual(['324', '150', '0', '401', '', '', '', '']);
});

test('CSV holds no formula and no character that steers a terminal', () => {
  const [result] = cases.hostile?.() ?? [];
  if (!result) throw new Error('the case has a result');
  const url = `=HYPERLINK("https://evil.example")${hostileText}`;
  const runs = result.check.runs.map((run) => ({ ...run, url }));
  const csv = csvOf(printableValue([{ ...result, check: { ...result.check, runs } }]));
  expect(csv).toContain(`,"'=HYPERLINK(""https://evil.example"")`);
  expect(csv.replaceAll('\r\n', '')).not.toMatch(/\p{C}/u);
});
