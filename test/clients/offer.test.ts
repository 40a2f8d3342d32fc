import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import { runHere } from '../support/command-context.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());
const pageAudit = (...args: string[]) => runHere(args, api.url);

test('`regions` and `versions` list what the service offers', async () => {
  const regions = await pageAudit('regions');
  expect(regions).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^us-west1 +Oregon, USA +us-west-2 +available$/m),
  });
  const versions = await pageAudit('versions');
  expect(versions).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^13\.5\.0 +latest, 13, 13\.5 +performance, /m),
  });
  expect(JSON.parse((await pageAudit('versions', '--format', 'json')).stdout)).toEqual(await api.client.versions());
});

test('`versions` says what its two forms need', async () => {
  expect(await pageAudit('versions', 'https://example.com/')).toMatchObject({
    code: 2,
    stderr: 'Name the earlier version, such as --from 12.\n',
  });
  expect(await pageAudit('versions', '--from', '12')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Name the URL'),
  });
});

test('`share` prints a link that reads the check without a key, until its end', async () => {
  const { check } = await api.world.finishedRun('{}');
  const { code, stdout, stderr } = await pageAudit('share', check.id, '--expires', '2d');
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(new RegExp(`^${api.url}/checks/${check.id}#share=\\S+\n$`)),
  ]);
  expect(stderr).toMatch(/^The link works on this machine only\. Anyone on it can read the check until /);
  const days = (Date.parse(/until (\S+)\.\n$/.exec(stderr)?.[1] ?? '') - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(2);
  expect(await pageAudit('share', check.id, '--expires', 'soon')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('such as "7d"'),
  });
});

test('`badge` prints the Markdown of a badge, lists it with its filters, and revokes it', async () => {
  const url = 'https://example.com/';
  await api.world.finishedRun('{}');
  expect(await pageAudit('badge')).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('no badges') });
  const made = await pageAudit('badge', url, '--label', 'branch=main', '--category', 'seo');
  const [, image = '', id = ''] =
    /^\[!\[seo\]\((http\S+\/v1\/badges\/(\S+)\.svg)\)\]\(http\S+\/pages\?\S+\)\n$/.exec(made.stdout) ?? [];
  expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining(`badge --revoke ${id}`) });
  expect(await (await fetch(image)).text()).toContain('<title>seo: no result</title>');
  expect((await pageAudit('badge')).stdout).toBe(`${id}  seo  mobile  branch=main  ${url}\n`);
  expect(await pageAudit('badge', '--revoke', id)).toMatchObject({ code: 0, stderr: `The badge ${id} is revoked.\n` });
  expect(await (await fetch(image)).text()).toContain('no such badge');
  expect(await pageAudit('badge', '--revoke', id)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no badge with this ID'),
  });
});

test.each([
  [['badge', '--category', 'seo'], 'Name the URL of the page'],
  [['badge', 'https://example.com/', '--revoke', 'x'], 'Give a URL, or --revoke'],
  [['badge', 'example.com'], 'must start with http'],
  [['badge', 'https://example.com/', '--region', 'moon'], 'The region must be one of'],
])('%j says what is wrong', async (args, message) => {
  expect(await pageAudit(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});
