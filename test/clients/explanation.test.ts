import { randomUUID } from 'node:crypto';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { markdownOf } from '../../clients/cli/formats/markdown.ts';
import { textOf } from '../../clients/cli/formats/text.ts';
import { compareWithBase } from '../../clients/cli/run/base.ts';
import { explainedChange } from '../../clients/mcp/explain-change.ts';
import { mcpServer } from '../../clients/mcp/server.ts';
import type { CheckExplanation } from '../../shared/explanation/schema.ts';
import { type Api, startApi } from '../support/api.ts';
import { runHere } from '../support/command-context.ts';
import { largerImage, reportedCheck } from '../support/explained-checks.ts';

let api: Api;
let [base, id] = ['', ''];
const { fast, slow } = largerImage();
beforeAll(async () => {
  api = await startApi();
  base = await reportedCheck(api.world, { 'us-west1': fast });
  id = await reportedCheck(api.world, { 'us-west1': slow });
});
afterAll(() => api.stop());

const compare = (...flags: string[]) => runHere(['compare', id, ...flags], api.url);
const sentence = /LCP is 4\.0 s slower \(−21 points\): .*image \/hero\.png is 802 KiB larger/;

const url = 'https://example.com/';

test('`compare --why` prints the sentence and the facts behind it, and a regression is still exit code 1', async () => {
  const { code, stdout } = await compare('--base', base, '--why');
  expect(code).toBe(1);
  expect(stdout.replace(/\n(?! )/g, ' ')).toMatch(sentence);
  expect(stdout).toContain('Requests\n  - http://127.0.0.1:8000/hero.png: larger, image, 118 KiB → 920 KiB');
  expect(stdout).toMatch(/Points of the performance score\n {2}- Largest contentful paint: .* s → .* s, −21 points/);
  const without = await compare('--base', base);
  expect(without.stdout).not.toContain('Why');
});

test('`compare --why` has a form for Markdown and one for JSON', async () => {
  const markdown = await compare('--base', base, '--why', '--format', 'markdown');
  expect(markdown.stdout).toMatch(/\*\*Compared with .*\| ❌ regressed \| us-west1 \| LCP \|/s);
  expect(markdown.stdout).toMatch(/\*\*Why, us-west1:\*\* LCP is 4\.0 s slower/);
  expect(markdown.stdout).toMatch(
    /<details><summary>Facts<\/summary>\n\n\*\*Points of the performance score\*\*\n- Largest contentful paint: .*−21 points/,
  );
  const { stdout } = await compare('--base', base, '--why', '--format', 'json');
  const { metrics, explanation } = JSON.parse(stdout);
  expect([metrics.lcp.verdict, explanation.regions['us-west1'].sentence]).toEqual([
    'regressed',
    expect.stringMatching(sentence),
  ]);
});

test('`compare --why` without a base is wrong use, and says what is missing', async () => {
  for (const flags of [['--why'], ['--format', 'markdown']]) {
    expect(await compare(...flags)).toMatchObject({ code: 2, stderr: expect.stringContaining('need --base') });
  }
});

test('a check with a base has the sentence in its text and in the comment of the action', async () => {
  const judged = await compareWithBase(api.client, { id, url }, { base }, new AbortController().signal);
  const check = await api.client.get(id);
  const ended = { server: null, readWith: null, isOnePlace: false };
  const results = [{ check, comparison: null, ...judged, assertions: {}, fixes: null, ...ended }];
  expect(markdownOf(results)).toMatch(/\*\*Why:\*\* LCP is 4\.0 s slower.*hero\.png/);
  expect(textOf(results, { width: 400, color: false })).toMatch(/Why: LCP is 4\.0 s slower/);
});

test('a check without a clear change, or whose report is gone, is compared without an explanation', async () => {
  const { signal } = new AbortController();
  const same = await reportedCheck(api.world, { 'us-west1': fast });
  expect((await compareWithBase(api.client, { id: same, url }, { base }, signal)).explanation).toBeNull();
  const gone = await reportedCheck(api.world, { 'us-west1': slow });
  for (const key of await api.world.reports.keysOf(gone, 90)) await api.world.reports.delete(key);
  const judged = await compareWithBase(api.client, { id: gone, url }, { base }, signal);
  expect(judged).toMatchObject({ explanation: null, baseProblem: null, base: { checkId: gone } });
});

test('an agent reads why a check changed, with selectors, URLs, bytes and milliseconds', async () => {
  const agent = new Client({ name: 'test', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await mcpServer({ version: '1', connect: async () => api.client }).connect(theirs);
  await agent.connect(ours);
  const explain = async (args: object) => {
    const { content, isError } = (await agent.callTool({ name: 'explain_change', arguments: { ...args } })) as {
      content: { text: string }[];
      isError?: boolean;
    };
    return { text: content[0]?.text ?? '', isError };
  };
  const { text } = await explain({ checkId: id, baseCheckId: base });
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2000);
  const region = JSON.parse(text).regions['us-west1'];
  expect(region).toMatchObject({
    sentence: expect.stringMatching(sentence),
    requests: { larger: [{ url: 'http://127.0.0.1:8000/hero.png', type: 'Image', bytes: 941_916 }] },
    lcpElement: { changed: true, value: { selector: 'body > img.hero' } },
  });
  expect(await explain({ checkId: id, baseCheckId: randomUUID() })).toMatchObject({
    isError: true,
    text: expect.stringContaining('There is no check with the ID in base'),
  });
  expect(await explain({ checkId: id })).toMatchObject({ isError: true });
  await agent.close();
});

test('an explanation for an agent is cut to 2,000 bytes, and says so', async () => {
  const explanation = await api.client.explain(id, { base });
  const region = explanation.regions['us-west1'];
  if (!region) throw new Error('The region is not there.');
  const [request] = region.requests.larger;
  const long = { ...request, url: 'x'.repeat(300) } as NonNullable<typeof request>;
  const many = {
    ...region.requests,
    added: Array(10).fill(long),
    gone: Array(10).fill(long),
    larger: Array(10).fill(long),
  };
  const regions = { 'us-west1': { ...region, requests: many }, 'us-east4': { ...region, requests: many } };
  const text = JSON.stringify(
    explainedChange({ ...explanation, regions } as CheckExplanation, 'https://audit.example'),
  );
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2000);
  expect(text).toMatch(/This answer is cut/);
  expect(text.match(/LCP is 4\.0 s slower/g)).toHaveLength(2);
});
