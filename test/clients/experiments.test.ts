import { describe, expect, test } from 'vitest';
import { type CheckInputs, CheckView, checkView } from '../../shared/check.ts';
import { compareVariants } from '../../shared/comparison/variants.ts';
import type { RunProblemCode } from '../../shared/problems.ts';
import { checkWith, failed, otherVariant, samplesOf, succeeded } from '../support/check-results.ts';
import { runHere } from '../support/command-context.ts';
import { finishedCheck, startFakeService } from '../support/fake-service.ts';

const page = 'https://shop.example/';
const origins = ['https://shop.example', 'https://ads.example', 'https://chat.example', 'https://cdn.example'];
const request = (url: string, transferSize: number, resourceType = 'Script') => ({ url, transferSize, resourceType });

/** The report of a page with three third parties. `ads` needs the most time, and `cdn` the most bytes. */
const report = {
  auditVersion: '13.5.0',
  requestedUrl: page,
  mainDocumentUrl: page,
  entities: origins.map((origin, i) => ({ name: new URL(origin).host, isFirstParty: i === 0, origins: [origin] })),
  categories: { performance: { title: 'Performance', score: 1, auditRefs: [] } },
  audits: {
    'network-requests': {
      details: {
        items: [
          request(page, 1000, 'Document'),
          request('https://ads.example/a.js', 2000),
          request('https://ads.example/frame', 500, 'Document'),
          request('https://chat.example/c.js', 3000),
          request('https://cdn.example/i.png', 90_000, 'Image'),
        ],
      },
    },
    'bootup-time': {
      details: {
        items: [
          { url: 'https://ads.example/a.js', total: 900 },
          { url: 'https://chat.example/c.js', total: 100 },
        ],
      },
    },
  },
};

type Body = CheckInputs;

/** Starts a service whose checks are finished at once. With an ad blocker the page is faster. */
const startService = async ({
  of = (() => report) as (url: URL) => object,
  failing = undefined as RunProblemCode | undefined,
} = {}) => {
  const bodies: Body[] = [];
  const idOf = (i: number) => `${`${i}`.padStart(8, '0')}-0000-4000-8000-000000000000`;
  const checkAt = (i: number) => {
    const body = bodies[i] as Body;
    const isFast = body.blockedUrlPatterns?.some((pattern) => pattern.includes('ads.example'));
    const [slow, fast] = [samplesOf('slower', 0, 5), samplesOf('unchanged', 3, 5)];
    const run = failing && body.against ? failed(failing) : succeeded(isFast ? fast : slow);
    return checkWith(
      {
        'us-west1': {
          ...run,
          ...(body.against && otherVariant({ url: page, samples: body.against.url ? fast : slow })),
        },
      },
      { ...body, auditVersion: '13.5.0', id: idOf(i) },
    );
  };
  const viewAt = (i: number) => CheckView.parse(checkView(checkAt(i)));
  const indexIn = ({ pathname }: URL) => Number(/0000(\d{4})-/.exec(pathname)?.[1]);
  const lcpElement = { changed: true, base: { selector: 'img.ad' }, value: { selector: 'h1' } };
  const service = await startFakeService({
    create: (_, body) => viewAt(bodies.push(body as Body) - 1),
    get: (url) => viewAt(indexIn(url)),
    report: of,
    comparison: (url) => compareVariants(checkAt(indexIn(url))) ?? 'not-comparable',
    explanation: () => ({ regions: { 'us-west1': { sentence: 'The sentence.', lcpElement } } }),
  });
  return { ...service, bodies };
};

describe('run --against', () => {
  test('sends the second variant, five samples by default, and shows both sides with the change', async () => {
    await using service = await startService();
    const flags = ['--against.device', 'desktop', '--against.throttling.cpuSlowdownMultiplier', '2'];
    const patterns = ['--against.blocked-url-patterns', 'a', '--against.blocked-url-patterns', 'b'];
    const version = ['--against.audit-version', '12.8.2'];
    const { code, stdout } = await runHere(['run', page, ...flags, ...patterns, ...version], service.url);
    expect(service.bodies[0]).toMatchObject({
      samples: 5,
      against: {
        auditVersion: '12.8.2',
        device: 'desktop',
        throttling: { rttMs: 40, cpuSlowdownMultiplier: 2 },
        blockedUrlPatterns: ['a', 'b'],
      },
    });
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^us-west1 +against +check +change\nPerformance +\S 68/m),
    ]);
  });

  test('a regression is exit code 1, and an empty pattern blocks nothing', async () => {
    await using service = await startService();
    const { code, stdout } = await runHere(['run', page, '--against', 'https://old.example/'], service.url);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^TBT .*✘ 398 ms slower \(381 to 417\)$/m)]);
    expect(stdout).toContain('Why, us-west1: The sentence.');
    const faster = ['run', page, '--blocked-url-patterns', 'ads.example', '--against.blocked-url-patterns', ''];
    expect((await runHere(faster, service.url)).code).toBe(0);
    expect(service.bodies[1]).toMatchObject({
      blockedUrlPatterns: ['ads.example'],
      against: { blockedUrlPatterns: [] },
    });
  });

  test('no verdict is exit code 2 with the reason, and a fault of the page is 3', async () => {
    await using service = await startService();
    const one = await runHere(['run', page, '--against.device', 'desktop', '--samples', '1'], service.url);
    expect(service.bodies[0]?.samples).toBe(1);
    expect(one.code).toBe(0); // the scores without noise have a verdict
    await using broken = await startService({ failing: 'http-error' });
    expect((await runHere(['run', page, '--against.device', 'desktop'], broken.url)).code).toBe(3);
    await using unknown = await startFakeService({
      get: () => ({ ...finishedCheck, against: { device: 'desktop' } }),
      comparison: () => 'not-comparable',
    });
    const none = await runHere(['run', page, '--against.device', 'desktop'], unknown.url);
    expect([none.code, none.stdout]).toEqual([
      2,
      expect.stringMatching(/✘ The check .* is not compared with its other/),
    ]);
  });

  test('`get` and `compare` show both variants of a finished check', async () => {
    await using service = await startService();
    await runHere(['run', page, '--against', 'https://old.example/', '--detach'], service.url);
    const id = '00000000-0000-4000-8000-000000000000';
    expect((await runHere(['get', id], service.url)).stdout).toMatch(/^us-west1 +against +check +change$/m);
    const { code, stdout } = await runHere(['compare', id], service.url);
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/^before {2}https:\/\/old\.example\/\nafter .*✘ 398 ms/s),
    ]);
  });

  test.each([
    ['a second page', [page, '--against', 'https://other.example/'], 'Run the command for each page'],
    ['a base', ['--against.device', 'desktop', '--base', 'branch=main'], 'Use one.'],
    ['a URL without a scheme', ['--against', 'other.example'], 'Use https://other.example.'],
  ])('refuses %s beside it', async (_, flags, message) => {
    await using service = await startService();
    const { code, stderr } = await runHere(['run', page, ...flags], service.url);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(service.bodies).toEqual([]);
  });
});
