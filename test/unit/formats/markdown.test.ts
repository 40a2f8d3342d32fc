import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { expect, test } from 'vitest';
import { MAX_MARKDOWN_LENGTH, markdownOf } from '../../../clients/cli/formats/markdown.ts';
import type { CheckResult } from '../../../clients/cli/run/result.ts';
import { checkWith, failed, resultOf } from '../../support/check-results.ts';
import { cases, hostileText } from './cases.ts';

/** Returns the HTML that a renderer of GitHub's Markdown makes, with the raw HTML of the text. */
const rendered = (markdown: string): string =>
  micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] });

const tagsIn = (html: string) => [...new Set([...html.matchAll(/<\/?([a-z0-9]+)/g)].map(([, name]) => name))];
const allowed = ['h3', 'p', 'code', 'a', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'sub', 'ul', 'li', 'strong'];

test.each(Object.entries(cases))('%s renders to known elements, and links to the service only', (_, results) => {
  const html = rendered(markdownOf(results()));
  expect(tagsIn(html).filter((tag) => !allowed.includes(tag ?? ''))).toEqual([]);
  for (const [, target] of html.matchAll(/href="([^"]*)"/g)) expect(target).toMatch(/^http:\/\/127\.0\.0\.1:4080\//);
  expect(html.match(/<h3>/g)).toHaveLength(results().length);
});

test('the comment begins with what failed, and has no label that the action adds', () => {
  const labels = { branch: 'blue', commit: 'a'.repeat(40), repository: 'me/shop', team: 'shop' };
  const result = resultOf(checkWith({ 'us-west1': failed('dns-failure') }, { labels }));
  const [first = ''] = markdownOf([result]).split('\n');
  expect(first).toBe('### ❌ The audit failed: dns-failure');
  expect(markdownOf([result])).toContain('team=shop');
  expect(markdownOf([result])).not.toMatch(/blue|me\/shop|aaaa/);
  const [count, listed] = markdownOf([result, ...(cases['one-region']?.() ?? [])]).split('\n');
  expect(count).toBe('**1 of 2 checks failed.**');
  expect(listed).toMatch(/^- ❌ The audit failed: dns-failure: <code>/);
});

test('a hostile text mentions nobody and refers to no issue', () => {
  const html = rendered(markdownOf(cases.hostile?.() ?? [])).replace(/<code>.*?<\/code>/g, '');
  expect(html).toContain('@\u2060octocat');
  expect(html).not.toMatch(/@octocat|#1/);
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
});

test('a table has the same number of cells in each row', () => {
  const html = rendered(markdownOf(cases.hostile?.() ?? []));
  const rows = [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) => row?.match(/<t[hd]/g)?.length);
  expect(rows).toEqual([...Array(8).fill(3), 4, 4]);
});

test('the result fits a comment of GitHub, says so if it is cut, and has failed checks first', () => {
  const good = cases.assertions?.()[0] as CheckResult;
  const bad = resultOf(checkWith({ 'us-west1': failed('internal', hostileText.repeat(10)) }));
  const some = markdownOf([...Array(5).fill({ ...good, assertions: {} }), bad]);
  expect(some.indexOf('❌')).toBeLessThan(some.indexOf('✅'));
  expect(some).toContain('**1 of 6 checks failed.**');
  expect(some).not.toContain('This is cut');

  for (const many of [Array(500).fill(good), Array(500).fill(bad)]) {
    const text = markdownOf(many);
    expect(text.length).toBeGreaterThan(MAX_MARKDOWN_LENGTH - 5000);
    expect(text.length).toBeLessThanOrEqual(MAX_MARKDOWN_LENGTH);
    expect(text).toContain('This is cut');
    expect(tagsIn(rendered(text)).filter((tag) => ![...allowed, 'em'].includes(tag ?? ''))).toEqual([]);
  }
});
