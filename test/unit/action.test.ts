import { resolve } from 'node:path';
import { getOctokit } from '@actions/github';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { baseNotes } from '../../clients/action/base-notes.ts';
import { argumentsOf, markerOf, readInputs } from '../../clients/action/inputs.ts';
import { writtenFiles } from '../../clients/action/results.ts';
import { labelsOf, sourceOf } from '../../clients/action/source.ts';
import { annotationsOf } from '../../clients/cli/ci/findings.ts';
import { jsonOf } from '../../clients/cli/formats/json.ts';
import { checkWith, resultOf, samplesOf, succeeded } from '../support/check-results.ts';
import { FakeGitHub } from '../support/fake-github.ts';

const fake = await FakeGitHub.start();
const github = getOctokit('ghs_token', { baseUrl: fake.url });
afterAll(() => fake.close());
beforeEach(() => Object.assign(fake, { comments: {}, answers: {}, failures: [], requests: [] }));

const job = { workflow: 'audit', job: 'pages' };
const repo = { owner: 'me', repo: 'shop' };
const sha = 'a'.repeat(40);
const head = (fullName: string | null, ref = 'main') => ({ ref, sha, repo: fullName && { full_name: fullName } });
const eventOf = (eventName: string, payload: object, ref = 'refs/heads/main') =>
  ({ eventName, payload, ref, sha: 'b'.repeat(40), repo }) as unknown as Parameters<typeof sourceOf>[0];
const runOf = (more: object) => ({
  workflow_run: {
    event: 'pull_request',
    head_branch: 'main',
    head_sha: sha,
    head_repository: { full_name: 'fork/shop', owner: { login: 'fork' } },
    pull_requests: [],
    ...more,
  },
});
const commitPulls = `/commits/${sha}/pulls`;
const open = { number: 7, state: 'open', head: head('me/shop', 'blue') };

describe('what an event is about', () => {
  test.each([
    ['a pull request', eventOf('pull_request', { pull_request: open }), {}, [7, 'blue', sha]],
    [
      'a fork',
      eventOf('pull_request', { pull_request: { number: 7, head: head('fork/shop') } }),
      {},
      [7, 'fork:main', sha],
    ],
    [
      'a deleted fork',
      eventOf('pull_request_target', { pull_request: { number: 7, head: head(null) } }),
      {},
      [7, 'unknown:main', sha],
    ],
    ['a push', eventOf('push', {}), {}, [undefined, 'main', 'b'.repeat(40)]],
    ['a tag', eventOf('push', {}, 'refs/tags/v1'), {}, [undefined, undefined, 'b'.repeat(40)]],
    ['a dispatch from outside', eventOf('repository_dispatch', {}), {}, [undefined, undefined, undefined]],
    [
      'a comment',
      eventOf('issue_comment', { issue: { number: 7, pull_request: {} } }),
      { '/pulls/7': open },
      [7, 'blue', sha],
    ],
    [
      'a comment on an issue',
      eventOf('issue_comment', { issue: { number: 7 } }),
      {},
      [undefined, undefined, undefined],
    ],
    [
      'a workflow run',
      eventOf(
        'workflow_run',
        runOf({ head_repository: { full_name: 'me/shop' }, pull_requests: [{ number: 7, head: { sha } }] }),
      ),
      {},
      [7, 'main', sha],
    ],
    [
      'a workflow run of a fork',
      eventOf('workflow_run', runOf({})),
      {
        '/pulls?state=open&head=fork%3Amain': [
          { number: 6, head: { sha: 'c' } },
          { number: 7, head: { sha } },
        ],
      },
      [7, 'fork:main', sha],
    ],
    [
      'a workflow run after a push',
      eventOf('workflow_run', runOf({ event: 'push', head_repository: { full_name: 'me/shop' } })),
      {},
      [undefined, 'main', sha],
    ],
    [
      'a preview',
      eventOf('deployment_status', { deployment: { sha, ref: 'blue' } }),
      { [commitPulls]: [{ ...open, number: 6, state: 'closed' }, open] },
      [7, 'blue', sha],
    ],
    [
      'a preview of a pull request',
      eventOf('deployment_status', { deployment: { sha, ref: 'pull/7/head' } }),
      { '/pulls/7': open },
      [7, 'blue', sha],
    ],
    [
      'a deployment of a branch',
      eventOf('deployment_status', { deployment: { sha, ref: 'main' } }),
      { [commitPulls]: [] },
      [undefined, 'main', sha],
    ],
    [
      'a deployment of a commit',
      eventOf('deployment_status', { deployment: { sha, ref: sha }, repository: { default_branch: 'main' } }),
      { [commitPulls]: [], [`/commits/${sha}/branches-where-head`]: [{ name: 'a' }, { name: 'main' }] },
      [undefined, 'main', sha],
    ],
  ])('%s', async (_, event, answers, [pullRequest, branch, commit]) => {
    fake.answers = answers;
    const source = await sourceOf(event, github);
    expect([source.pullRequest, source.branch, source.commit]).toEqual([pullRequest, branch, commit]);
  });

  test('the labels are the branch, the commit and the repository, if they are known', () => {
    expect(labelsOf({ branch: 'blue', commit: sha }, repo)).toEqual({
      branch: 'blue',
      commit: sha,
      repository: 'me/shop',
    });
    expect(labelsOf({}, repo)).toEqual({ repository: 'me/shop' });
  });
});

describe('the inputs', () => {
  const given = (inputs: Record<string, string>) => readInputs(JSON.stringify(inputs));

  test('become options, and an empty input becomes none', () => {
    expect(argumentsOf(given({ urls: 'https://a.example/\n https://b.example/ ', device: '' }), {})).toEqual([
      '--',
      'https://a.example/',
      'https://b.example/',
    ]);
    const inputs = given({
      throttling: 'rttMs=150, cpuSlowdownMultiplier=4',
      'blocked-url-patterns': '*://ads.example/*\n\n *.png',
      base: 'branch=main',
      'allow-empty': 'true',
      labels: 'team=shop\nbranch=other',
    });
    expect(argumentsOf(inputs, { branch: 'blue', commit: 'x'.repeat(200) })).toEqual([
      '--samples=5',
      '--throttling.rttMs=150',
      '--throttling.cpuSlowdownMultiplier=4',
      '--blocked-url-patterns=*://ads.example/*',
      '--blocked-url-patterns=*.png',
      '--base=branch=main',
      '--allow-empty',
      `--label=commit=${'x'.repeat(128)}`,
      '--label=team=shop',
      '--label=branch=other',
      '--',
    ]);
    expect(argumentsOf(given({ base: 'branch=main', samples: '3' }), {})).toContain('--samples=3');
    const many = { 'urls-file': 'pages.txt', sitemap: 'https://a.example/sitemap.xml', limit: '7' };
    const more = { output: 'a.html\n b.json', 'base-url': 'https://www.example.com' };
    expect(argumentsOf(given({ ...many, ...more }), {})).toEqual([
      ...['--urls-file=pages.txt', '--sitemap=https://a.example/sitemap.xml', '--limit=7', '--samples=5'],
      ...['--output=a.html', '--output=b.json', '--base-url=https://www.example.com', '--'],
    ]);
  });

  test('give each leg of a matrix a comment of its own, and a preview the same one', () => {
    const marker = (inputs: Record<string, string>, preview?: string) => markerOf(given(inputs), job, preview);
    const mobile = marker({ urls: 'https://a.example/', device: 'mobile' });
    expect(mobile).toMatch(/^<!-- page-audit: audit pages [\da-f]{12} -->$/);
    expect(marker({ urls: 'https://a.example/', device: 'desktop' })).not.toBe(mobile);
    expect(marker({ urls: 'https://a.example/', device: 'mobile' })).toBe(mobile);
    const preview = (host: string) => marker({ urls: `https://${host}/cart` }, `https://${host}`);
    expect(preview('a1.example')).toBe(preview('b2.example'));
    const sitemap = (host: string) => marker({ sitemap: `https://${host}/sitemap.xml` }, `https://${host}`);
    expect([sitemap('a1.example'), sitemap('a1.example')]).not.toContain(preview('a1.example'));
    expect(sitemap('a1.example')).toBe(sitemap('b2.example'));
    expect(marker({ 'comment-id': 'x'.repeat(70_000) }).length).toBeLessThan(300);
    expect(marker({ 'comment-id': 'a --> b' })).toBe('<!-- page-audit: a - b -->');
  });
});

test('annotations beyond the limit of GitHub are counted by level, and a missing base is one', () => {
  const check = checkWith({ 'us-west1': succeeded(samplesOf('unchanged', 3, 1)) });
  const failing = (level: 'error' | 'warn', count: number) =>
    Array.from({ length: count }, (_, i) => ({
      level,
      key: `${level}-${i}`,
      passed: false,
      message: 'It is missing.',
    }));
  const assertions = { [check.runs[0]?.id ?? '']: [...failing('warn', 3), ...failing('error', 17)] };
  const annotations = annotationsOf(JSON.parse(jsonOf([{ ...resultOf(check), assertions: assertions as never }])));
  expect(annotations.map(({ level }) => level)).toEqual([...Array(9).fill('error'), ...Array(3).fill('warning')]);
  expect(annotations[8]?.title).toBe('and 9 more');
  const unjudged = { key: 'bootup-time', level: 'error', passed: null, message: 'Not judged' };
  const busy = JSON.parse(
    jsonOf([{ ...resultOf(check), assertions: { [check.runs[0]?.id ?? '']: [unjudged] } as never }]),
  );
  expect([{}, { allowEmpty: true }].map((options) => annotationsOf(busy, options)[0]?.level)).toEqual([
    'error',
    'warning',
  ]);
  const results = JSON.parse(jsonOf([{ ...resultOf(check), baseProblem: 'No earlier check.' }]));
  const levels = [{}, { allowEmpty: true }].map((options) => annotationsOf(results, options)[0]?.level);
  expect(levels).toEqual(['error', 'warning']);
  expect(baseNotes(results, 'branch=main')).toContain('Run this workflow on the branch `main`');
  expect(baseNotes(results, '')).toBe('');
});

test('the files of a later step are those that exist, also reports that the command wrote by itself', () => {
  const check = checkWith({ 'us-west1': succeeded(samplesOf('unchanged', 3, 1)) });
  const [report, results] = [import.meta.filename, resolve('package.json')];
  const { checks } = JSON.parse(jsonOf([{ ...resultOf(check), reportFiles: { [check.runs[0]?.id ?? '']: report } }]));
  expect(writtenFiles({ checks }, ['package.json', '{url}.html', 'none.csv', report])).toEqual([results, report]);
});
