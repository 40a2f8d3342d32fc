import { getOctokit } from '@actions/github';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { writeComment } from '../../clients/action/comment.ts';
import { githubProblem, withOneRetry } from '../../clients/action/github-calls.ts';
import { markerOf, readInputs } from '../../clients/action/inputs.ts';
import { renderBatch } from '../../clients/cli/many/batch-text.ts';
import { checkWith, failed, resultOf, samplesOf, succeeded } from '../support/check-results.ts';
import { FakeGitHub } from '../support/fake-github.ts';

const fake = await FakeGitHub.start();
const github = getOctokit('ghs_token', { baseUrl: fake.url });
afterAll(() => fake.close());
beforeEach(() => Object.assign(fake, { comments: {}, answers: {}, failures: [], requests: [] }));

const repo = { owner: 'me', repo: 'shop' };

describe('the comment', () => {
  const write = (marker: string, text: string) =>
    withOneRetry(() => writeComment(github, { ...repo, pullRequest: 7, marker }, text), 0);
  const bodies = () => (fake.comments[7] ?? []).map(({ body }) => body);

  test('is updated, also behind a hundred others, and never a copy by a user', async () => {
    const copy = { id: 100, body: '<!-- a -->\nmine', user: { type: 'User' } };
    fake.comments[7] = [
      ...Array.from({ length: 100 }, (_, id) => ({ id, body: 'Nice!', user: { type: 'User' } })),
      copy,
    ];
    await write('<!-- a -->', 'one');
    await write('<!-- b -->', 'other leg');
    await write('<!-- a -->', 'two');
    expect(bodies().slice(100)).toEqual([copy.body, '<!-- a -->\ntwo', '<!-- b -->\nother leg']);
  });

  test.each([
    ['a failed search', [{ status: 502 }]],
    [
      'a creation that worked although GitHub failed',
      [
        { status: 200, after: true },
        { status: 502, after: true },
      ],
    ],
  ])('exists once after %s', async (_, failures) => {
    fake.failures = failures;
    await write('<!-- a -->', 'one');
    expect(bodies()).toEqual(['<!-- a -->\none']);
  });

  test('on many pages is worst first, within the limit of GitHub, and counts what is left out', async () => {
    const url = (i: number) => `https://shop.example/${'x'.repeat(150)}/${i}`;
    const pages = Array.from({ length: 600 }, (_, i) => {
      const state = i === 599 ? failed('http-error') : succeeded(samplesOf('unchanged', 3, 1));
      return resultOf(checkWith({ 'us-west1': state }, { url: url(i) }));
    });
    const markdown = await renderBatch({ name: 'b' })(pages, 'markdown', { width: 120, color: false });
    await write(
      markerOf(readInputs(JSON.stringify({ 'comment-id': 'x'.repeat(70_000) })), { workflow: 'audit', job: 'pages' }),
      markdown,
    );
    const [body = ''] = bodies();
    const rows = body.match(/^\| [✅❌]/gmu)?.length ?? 0;
    expect(rows).toBeGreaterThan(100);
    expect(body.indexOf('❌')).toBeLessThan(body.indexOf('✅'));
    expect(body).toContain(`Left out: ${600 - rows} rows of the table and 1 check in detail.`);
  });

  test('is retried once only, and not after a refusal', async () => {
    fake.failures = [{ status: 503 }, { status: 503 }, { status: 503 }];
    const failed = await write('<!-- a -->', 'one').catch(githubProblem);
    expect([failed, fake.requests.length]).toEqual(['GitHub failed (503). Run the job again.', 2]);
    Object.assign(fake, { failures: [{ status: 403 }], requests: [] });
    const refused = await write('<!-- a -->', 'one').catch(githubProblem);
    expect([refused, fake.requests.length]).toEqual([expect.stringContaining('pull-requests: write'), 1]);
  });
});
