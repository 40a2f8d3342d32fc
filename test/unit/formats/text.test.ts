import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { comparisonTextOf } from '../../../clients/cli/formats/comparison-text.ts';
import { fixesTextOf } from '../../../clients/cli/formats/fixes-text.ts';
import { assertionsIn } from '../../../clients/cli/formats/notes.ts';
import { textOf } from '../../../clients/cli/formats/text.ts';
import { listTextOf } from '../../../clients/cli/read/list-text.ts';
import type { CheckResult } from '../../../clients/cli/run/result.ts';
import { failedFirst } from '../../../clients/words/assertions.ts';
import { gradeOf, textOf as shownText, spreadText } from '../../../clients/words/numbers.ts';
import { unreadableNote } from '../../../clients/words/words.ts';
import type { CheckInputs } from '../../../shared/check.ts';
import { checkSummary } from '../../../shared/summaries.ts';
import { baseId, checkWith, failed, resultOf, samplesOf, succeeded } from '../../support/check-results.ts';
import { cases, hostileText } from './cases.ts';

const now = new Date('2026-11-25T12:02:30.000Z');
const all = Object.values(cases).flatMap((results) => results());
const checks = all.map(({ check }) => checkSummary(check));
const view = { width: 100, color: false };
/** Every width of narrow terminals, and some wider ones. */
const widths = [...Array.from({ length: 21 }, (_, i) => 20 + i), 50, 60, 80, 100, 150, 200];

const regression = () => {
  const base = cases.regression?.()[0]?.base;
  if (!base) throw new Error('the case has a base');
  return base;
};
/** A comparison in which a region has too few samples. */
const unknown = () => {
  const fewer = { 'us-west1': succeeded(samplesOf('unchanged', 3)), 'us-east4': succeeded(samplesOf('slower', 0, 2)) };
  const before = { 'us-west1': succeeded(samplesOf('slower', 0)), 'us-east4': succeeded(samplesOf('slower', 3)) };
  const compared = resultOf(checkWith(fewer), { base: checkWith(before, { id: baseId }) }).base;
  if (!compared) throw new Error('the checks are comparable');
  return compared;
};

const foundFixes = () => {
  const found = cases.fixes?.()[0]?.fixes;
  if (!found) throw new Error('the case has fixes');
  return found;
};

const texts: Record<string, (width: number, color: boolean) => string> = {
  ...Object.fromEntries(
    Object.entries(cases).map(([name, results]) => [
      name,
      (width: number, color: boolean) => textOf(results(), { width, color }),
    ]),
  ),
  list: (width, color) => listTextOf({ checks, unreadable: [baseId] }, { width, color, now }),
  fixes: (width, color) => fixesTextOf(foundFixes(), { width, color }),
  comparison: (width, color) => comparisonTextOf(regression(), { width, color }),
  'unknown comparison': (width, color) => comparisonTextOf(unknown(), { width, color }),
};

test.each(Object.entries(texts))(
  '%s fits terminals of 20 to 200 columns, except for its link and its command',
  (_, text) => {
    for (const width of widths) {
      const lines = text(width, false).split('\n');
      const wide = lines.filter((line) => stringWidth(line) > width && !/^(Report {2}http|page-audit )/.test(line));
      expect(wide, `${width} columns`).toEqual([]);
    }
  },
);

test.each(Object.entries(texts))('%s says the same without colours', (_, text) => {
  for (const width of [20, 30, 100]) {
    const plain = text(width, false);
    expect(plain.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Cf}|\p{Cs}/u);
    expect(stripVTControlCharacters(text(width, true))).toBe(plain);
    expect(text(width, true)).not.toBe(plain);
  }
});

test('a colour never stands for the meaning alone', () => {
  const colored = /\p{Cc}\[3[123]m(.*?)\p{Cc}/gu;
  for (const text of Object.values(texts)) {
    for (const [, inside = ''] of text(100, true).matchAll(colored)) expect(inside).toMatch(/^[●■▲✘✓!]/);
  }
});

test('a hostile text is one text without line breaks of its own', () => {
  const text = textOf(cases.hostile?.() ?? [], { width: 10_000, color: false });
  const quoting = text.split('\n').filter((line) => line.includes('@octocat'));
  expect(quoting).toHaveLength(5); // the headline, the label, the error, the warning and the assertion
  expect(hostileText).toContain('\r\n# Heading');
  expect(text).not.toMatch(/^# Heading/m);
});

test('the link to the report stays whole, and is missing if the service ends with the command', () => {
  const [result] = cases['one-region']?.() ?? [];
  if (!result) throw new Error('the case has a result');
  const link = `Report  http://127.0.0.1:4080/checks/${result.check.id}\n`;
  expect(textOf([result], { width: 20, color: false })).toContain(link);
  expect(textOf([{ ...result, server: null }], view)).not.toContain('Report');
});

test('failed assertions come last in the words of the service, and those of level error before warnings', () => {
  const results = cases.assertions?.() ?? [];
  const lines = textOf(results, { ...view, width: 200 })
    .trimEnd()
    .split('\n');
  expect(lines.slice(-4).map((line) => line.charAt(0))).toEqual(['✘', '✘', '✘', '!']);
  const messages = failedFirst(results.flatMap(assertionsIn)).map(({ message }) => message);
  expect(lines.slice(-4).map((line, i) => line.includes(messages[i] ?? '-'))).toEqual([true, true, true, true]);
});

/** Returns the result of a check that is slower than its base in two regions. */
const slowerInBoth = () => {
  const sides = (page: 'unchanged' | 'slower', from: number) => ({
    'us-west1': succeeded(samplesOf(page, from)),
    'us-east4': succeeded(samplesOf(page, from)),
  });
  const base = checkWith(sides('unchanged', 0), { id: baseId, samples: 3 });
  return resultOf(checkWith(sides('slower', 0), { samples: 3 }), { base });
};

test('the first line is the answer, regions that agree are one, and `verbose` has each region and the ids of the runs', () => {
  const wide = { ...view, width: 200 };
  const result = { ...slowerInBoth(), ...(cases.fixes?.()[0] && { fixes: cases.fixes()[0]?.fixes ?? null }) };
  const lines = textOf([result], wide).trimEnd().split('\n');
  expect(lines[0]).toMatch(/^✘ TBT 1\.6 s → 3\.0 s in both regions$/);
  expect(lines.filter((line) => line.startsWith('✘ both regions  TBT'))).toHaveLength(1);
  expect(lines.join()).not.toContain(result.check.runs[0]?.id);
  expect(lines.at(-1)).toBe(`Next: up to 25 points: Improve image delivery.  page-audit fixes ${result.check.id}`);
  const all = textOf([result], { ...wide, verbose: true });
  expect(all).toMatch(/^✘ us-west1 {2}TBT.*^✘ us-east4 {2}TBT/ms);
  expect(all).toContain(result.check.runs[0]?.id);
});

test('after a service that has ended, no line has an id, and the next step works without it', () => {
  const [fixed] = cases.fixes?.() ?? [];
  if (!fixed) throw new Error('the case has fixes');
  const ended = { ...fixed, server: null, readWith: null };
  const textWith = (change: Partial<CheckResult> = {}) =>
    textOf([{ ...ended, ...change }], { ...view, width: 200, verbose: true });
  expect(textWith()).toMatch(/Next: .*\. {2}page-audit fixes https:\/\/shop\.example\/\n$/);
  expect(textWith()).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
  expect(textWith({ readWith: " --data 'my data'" })).toContain(
    `page-audit fixes ${fixed.check.id} --data 'my data'\n`,
  );
  expect(textWith({ isServed: true })).toMatch(/Next: .*\.\n$/);
  expect(textWith({ check: { ...fixed.check, cookies: ['session'] as string[] } })).toMatch(/Next: .*\.\n$/);
  const desktop = textWith({ check: { ...fixed.check, url: "https://shop.example/?a='1'&b", device: 'desktop' } });
  expect(desktop).toContain("page-audit fixes 'https://shop.example/?a='\\''1'\\''&b' --device desktop\n");
});

test('on one machine a single region has no name, and several have no verdict about themselves', () => {
  const one = resultOf(checkWith({ 'us-west1': succeeded(samplesOf('unchanged', 0)) }, { samples: 3 }));
  expect(textOf([one], view)).toContain('us-west1');
  expect(textOf([{ ...one, isOnePlace: true }], view)).not.toContain('us-west1');
  const both = slowerInBoth();
  expect(textOf([both], view)).toContain('verdict');
  expect(textOf([{ ...both, isOnePlace: true }], view)).not.toContain('verdict');
});

test('a region that failed says whose fault it is and the next step', () => {
  const text = (code: 'dns-failure' | 'internal') => textOf([resultOf(checkWith({ 'us-west1': failed(code) }))], view);
  expect(text('dns-failure')).toContain('The cause is the page. Check the spelling of the host');
  expect(text('internal')).toContain('The cause is the service, not the page. Audit the page again.');
});

test('a list says how long ago each check was, its scores and its id', async () => {
  await expect(listTextOf({ checks: checks.slice(0, 6) }, { ...view, now })).toMatchFileSnapshot('snapshots/list.txt');
  expect(listTextOf({ checks: [] }, { ...view, now })).toBe('There are no checks that match.\n');
});

test('a list says which checks can not be read, and how to erase them', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e'].map((letter) => baseId.replace(/^./, letter));
  const [first = ''] = ids;
  const listed = listTextOf({ checks: checks.slice(0, 1), unreadable: ids }, { ...view, now });
  await expect(listed).toMatchFileSnapshot('snapshots/list-unreadable.txt');
  const alone = listTextOf({ checks: [], unreadable: [first] }, { ...view, width: 200, now });
  expect(alone).toBe(`! 1 check can't be read: ${first}. To erase a check: page-audit delete <check>\n`);
  expect(unreadableNote([first], 'run')).toBe(
    `1 run can't be read: ${first}. To erase the check of a run: page-audit delete <check>`,
  );
});

test('a comparison says before, after, difference, verdict and why a verdict is unknown', async () => {
  await expect(comparisonTextOf(regression(), view)).toMatchFileSnapshot('snapshots/comparison.txt');
  await expect(comparisonTextOf(unknown(), view)).toMatchFileSnapshot('snapshots/comparison-unknown.txt');
  await expect(comparisonTextOf(unknown(), { ...view, width: 30 })).toMatchFileSnapshot(
    'snapshots/comparison-unknown.narrow.txt',
  );
});

test('a comparison names the assertions that fail now, with those of level error first', () => {
  const [{ assertions = {} } = {}] = cases.assertions?.() ?? [];
  const newlyFailed = Object.values(assertions)
    .flat()
    .filter(({ passed }) => !passed)
    .map((each) => ({ region: 'us-west1' as const, ...each }));
  const lines = comparisonTextOf({ ...regression(), newlyFailed }, view).split('\n');
  expect(
    lines.slice(lines.indexOf('Assertions that fail now') + 1, -1).map((line) => line.replace(/ {2,}/g, ' ')),
  ).toEqual(
    expect.arrayContaining([
      '✘ Lighthouse 13.5.0 has no audit no-such',
      '! SEO: score 0.91, expected at least 0.95. Costs most: Image elements do not have `[alt]`',
    ]),
  );
});

test('the title says which throttling and blocked URL patterns were set', () => {
  const title = (throttling: CheckInputs['throttling'], blockedUrlPatterns: string[] = []) =>
    textOf([resultOf(checkWith({ 'us-west1': failed('internal') }, { throttling, blockedUrlPatterns }))], {
      ...view,
      width: 200,
    });
  expect(title('none')).toContain('mobile, 1 sample, no throttling\n');
  expect(title('none', ['*.js', '*.css'])).toContain('no throttling, 2 blocked URL patterns\n');
  expect(title({ rttMs: 40, throughputKbps: 10_240, cpuSlowdownMultiplier: 2 })).toContain(
    'mobile, 1 sample, throttled to 40 ms round trip, 10,240 kbit/s and CPU 2× slower\n',
  );
});

test('a table of several regions begins with the metric that shows their networks', () => {
  const withResponse = (ttfb: number) => succeeded(samplesOf('unchanged', 0).map((sample) => ({ ...sample, ttfb })));
  const rows = (regions: Parameters<typeof checkWith>[0]) =>
    textOf([resultOf(checkWith(regions, { samples: 3 }))], view).split('\n');
  const both = rows({ 'us-west1': withResponse(42.4), 'asia-northeast1': withResponse(1234) });
  expect(both[2]).toMatch(/^TTFB +● 42 ms +▲ 1.2 s +us-west1 better by 1.2 s \(0.8 to 1.6\)$/);
  expect(both[3]).toMatch(/^Performance/);
  const one = rows({ 'us-west1': withResponse(42.4) });
  expect(one[2]).toMatch(/^Performance/);
  expect(one).toContainEqual(expect.stringMatching(/^TTFB +● 42 ms$/));
});

test('each kind of value has its unit, also its spread', () => {
  const bytes = [0, 1023, 1024, 412_876, 3_500_000].map((value) => shownText('bytes', value));
  expect(bytes).toEqual(['0 B', '1023 B', '1 KiB', '403 KiB', '3.3 MiB']);
  expect([31, 1234].map((value) => shownText('requests', value))).toEqual(['31', '1,234']);
  expect([0.4, 999, 1000, 12_345].map((value) => shownText('ttfb', value))).toEqual([
    '0 ms',
    '999 ms',
    '1.0 s',
    '12.3 s',
  ]);
  expect(spreadText('bytes', 412_876, { min: 400_000, max: 410_240 })).toBe('(391–401)');
  expect(spreadText('bytes', 412_876, { min: 400_000, max: 400_100 })).toBe('');
  expect(spreadText('requests', 31, { min: 30, max: 32 })).toBe('(30–32)');
  expect([gradeOf('requests', 31, 'mobile'), gradeOf('bytes', 3_500_000, 'mobile')]).toEqual(['none', 'work']);
});

test('the fixes have their points, what they save, and their first files and elements', () => {
  const lines = fixesTextOf(foundFixes(), view).split('\n');
  expect(lines.slice(0, 9)).toEqual([
    'https://shop.example/   us-west1, Lighthouse 13.5.0, mobile, Performance 70',
    '  25 Improve image delivery (Performance, saves 8.0 s of LCP, 1.5 MiB)',
    '       https://shop.example/hero.png  1.5 MiB',
    '  17 Reduce JavaScript execution time (Performance, saves 850 ms of TBT)',
    '       https://shop.example/app.js  1.2 s',
    '       Unattributable  88 ms',
    '  12 Image elements do not have `[alt]` attributes (Accessibility)',
    '       li:nth-child(1) > img  <img src="a.png">',
    '       li:nth-child(2) > img  <img src="a.png">',
  ]);
  expect(lines).toContain('       and 5 more');
  expect(lines).toContain('  <1 Form elements do not have associated labels (Accessibility)');
  expect(lines).toContain('   – LCP request discovery (Performance)');
});

test('a page without faults and a page with many say so', () => {
  const { run, fixes } = foundFixes();
  expect(fixesTextOf({ run, fixes: [] }, view)).toContain('\nLighthouse found nothing to fix.\n');
  const many = fixesTextOf({ run, fixes: Array(13).fill(fixes[0]) }, view);
  expect(many.match(/Improve image delivery/g)).toHaveLength(10);
  expect(many).toContain('\n3 more. The format json has all.\n');
});
