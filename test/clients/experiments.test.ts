import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { Client } from '../../clients/api/client.ts';
import { InterruptedError } from '../../clients/cli/exit-codes.ts';
import { thirdParties } from '../../clients/cli/experiments/third-parties.ts';
import { summaryOf } from '../../clients/mcp/summary.ts';
import { commandContext, runHere } from '../support/command-context.ts';
import { finishedCheck, startFakeService } from '../support/fake-service.ts';
import { page, report, request, startVariants } from '../support/variants-service.ts';

const schema = readFileSync('test/support/junit.xsd', 'utf8');
describe('run --against', () => {
  test('sends the second variant, automatic samples by default, and shows both sides with the change', async () => {
    await using service = await startVariants();
    const flags = ['--against.device', 'desktop', '--against.throttling.cpuSlowdownMultiplier', '2'];
    const patterns = ['--against.blocked-url-patterns', 'a', '--against.blocked-url-patterns', 'b'];
    const version = ['--against.audit-version', '12.8.2'];
    const { code, stdout } = await runHere(['run', page, ...flags, ...patterns, ...version], service.url);
    expect(service.bodies[0]).toMatchObject({
      samples: 'auto',
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
    await using service = await startVariants();
    const { code, stdout } = await runHere(['run', page, '--against', 'https://old.example/'], service.url);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^TBT .*✘ 1\.4 s slower \(1\.1 to 1\.7\)$/m)]);
    expect(stdout).toContain('Why: The sentence.');
    const faster = ['run', page, '--blocked-url-patterns', 'ads.example', '--against.blocked-url-patterns', ''];
    expect((await runHere(faster, service.url)).code).toBe(0);
    expect(service.bodies[1]).toMatchObject({
      blockedUrlPatterns: ['ads.example'],
      against: { blockedUrlPatterns: [] },
    });
  });

  test('no verdict is exit code 2 with the reason, and a fault of the page is 3', async () => {
    await using service = await startVariants();
    const one = await runHere(['run', page, '--against.device', 'desktop', '--samples', '1'], service.url);
    expect(service.bodies[0]?.samples).toBe(1);
    expect(one.code).toBe(0); // the scores without noise have a verdict
    await using broken = await startVariants({ failing: 'http-error' });
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
    await using service = await startVariants();
    await runHere(['run', page, '--against', 'https://old.example/', '--detach'], service.url);
    const id = '00000000-0000-4000-8000-000000000000';
    expect((await runHere(['get', id], service.url)).stdout).toMatch(/^us-west1 +against +check +change$/m);
    const { code, stdout } = await runHere(['compare', id], service.url);
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/^before {2}https:\/\/old\.example\/\nafter .*✘ 1\.4 s/s),
    ]);
  });

  test('an agent gets both variants, and each change in words', async () => {
    await using service = await startVariants();
    await runHere(['run', page, '--against', 'https://old.example/', '--detach'], service.url);
    const check = await new Client(service).get('00000000-0000-4000-8000-000000000000');
    const { runs } = summaryOf(check, 'https://audit.example') as { runs: unknown[] };
    const [run] = runs;
    expect(run).toMatchObject({
      against: { url: page, metrics: { tbt: '1558ms' } },
      change: { tbt: { verdict: 'regressed' } },
    });
    expect(JSON.stringify(run)).toContain('"text":"1.4 s slower (1.1 to 1.7)"');
  });

  test.each([
    ['a second page', [page, '--against', 'https://other.example/'], 'Run the command for each page'],
    ['a base', ['--against.device', 'desktop', '--base', 'branch=main'], 'Use one.'],
    ['a URL of another scheme', ['--against', 'ftp://other.example'], 'is no URL of a web page'],
  ])('refuses %s beside it', async (_, flags, message) => {
    await using service = await startVariants();
    const { code, stderr } = await runHere(['run', page, ...flags], service.url);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(service.bodies).toEqual([]);
  });
});

describe('third-parties', () => {
  test('blocks each third party in turns with the page as it is, all together last, the most expensive first', async () => {
    await using service = await startVariants();
    const { code, stdout, stderr } = await runHere(['third-parties', page], service.url);
    expect(service.bodies.map((body) => body.blockedUrlPatterns)).toEqual([
      undefined,
      ['https://cdn.example/'],
      ['https://ads.example/'],
      ['https://chat.example/'],
      ['https://cdn.example/', 'https://ads.example/', 'https://chat.example/'],
    ]);
    for (const body of service.bodies.slice(1)) {
      expect(body).toMatchObject({ samples: 5, against: { blockedUrlPatterns: [] }, categories: ['performance'] });
    }
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ads\.example +900 ms .*✓ −1\.4 s \(−1\.7 to −1\.1\) .*better$/m);
    expect(stdout).toMatch(/^chat\.example .* = −31 to \+31 ms .*same$/m);
    expect(stdout).toMatch(/^all of these +1\.0 s .*better$/m);
    expect(stdout).toMatch(
      /^! Without cdn\.example, .*: The page itself changed: its LCP element is h1 instead\s+of img\.ad/m,
    );
    expect(stdout).toContain('The frames of ads.example still load');
    expect(stderr).toContain('  without chat.example  succeeded');
  });

  test.each([
    ['json', /"name": "ads\.example",\s+"origins": \[\s+"https:\/\/ads\.example"/],
    ['markdown', /^\| ads\.example \| 900 ms \|/m],
    ['csv', /^cdn\.example,90000,0,/m],
    ['junit', /name="without ads\.example">\s+<system-out><!\[CDATA\[main thread 900 ms/],
  ])('has the form %s', async (format, form) => {
    await using service = await startVariants();
    const { code, stdout } = await runHere(['third-parties', page, '--format', format], service.url);
    expect([code, stdout]).toEqual([0, expect.stringMatching(form)]);
    if (format === 'junit') expect(await validateXML({ xml: stdout, schema })).toMatchObject({ errors: [] });
  });

  test('--output writes the report of the page as it is, and without each third party', async () => {
    await using service = await startVariants();
    const folder = mkdtempSync(join(tmpdir(), 'page-audit-test-parties-'));
    const { code, stderr } = await runHere(['third-parties', page, '--output', `${folder}/{party}.html`], service.url);
    const names = ['ads.example', 'all_of_these', 'cdn.example', 'chat.example', 'nothing'];
    expect([code, readdirSync(folder).sort()]).toEqual([0, names.map((name) => `${name}.html`)]);
    expect(stderr).toContain(`The report without ads.example is ${folder}/ads.example.html\n`);
    rmSync(folder, { recursive: true });
  });

  test.each([
    ['report.html', 'report-{party}.html'],
    ['{parties}.html', 'Use {url}, {region}, {device} or {party}.'],
    ['/nowhere/{party}.html', "/nowhere can't be written"],
  ])('--output %s is refused before the audits', async (output, message) => {
    await using service = await startVariants();
    const { code, stderr } = await runHere(['third-parties', page, '--output', output], service.url);
    expect([code, stderr, service.bodies]).toEqual([2, expect.stringContaining(message), []]);
  });

  test('a page without third parties is exit code 2, and the message says how to go on', async () => {
    const own = { ...report, audits: {} };
    await using service = await startVariants({ of: () => own });
    const { code, stdout, stderr } = await runHere(['third-parties', page], service.url);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('has no third parties')]);
    expect(stderr).toContain(`page-audit run ${page} --blocked-url-patterns`);
  });

  test('a page that fails without a third party is exit code 3, and the row says why', async () => {
    await using service = await startVariants({ failing: 'no-content' });
    const { code, stdout } = await runHere(['third-parties', page], service.url);
    expect([code, stdout]).toEqual([
      3,
      expect.stringMatching(/^! Without .*ads\.example.*: The audit failed: no-content\./m),
    ]);
  });

  test('an interrupt while a check is created erases that check', async () => {
    const interrupt = new AbortController();
    await using service = await startVariants({
      whileCreating: () => interrupt.abort(new InterruptedError('Stopped.')),
    });
    const { context, shown } = commandContext(service.url);
    const options = { auditVersion: 'latest', samples: 5, timeout: 60, format: 'text' as const };
    const ended = thirdParties({ ...context, signal: interrupt.signal }, page, options);
    await expect(ended).rejects.toBeInstanceOf(InterruptedError);
    expect(shown.stderr).toContain('The check 00000000-0000-4000-8000-000000000000 is finished and stays.');
  });

  test('a row without a verdict says why', async () => {
    await using service = await startVariants({ contended: true });
    const { code, stdout } = await runHere(['third-parties', page], service.url);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ads\.example .* \? −1\.7 to −1\.1 s .* unclear$/m);
    expect(stdout).toMatch(/^! Without cdn\.example, ads.*: The machine was busy/m);
  });

  test('more than eight third parties: the cheapest are named and not blocked', async () => {
    const many = Array.from({ length: 10 }, (_, i) => request(`https://t${i}.example/x.js`, 1000 * (i + 1)));
    const audits = { 'network-requests': { details: { items: [request(page, 1, 'Document'), ...many] } } };
    await using service = await startVariants({ of: () => ({ ...report, entities: undefined, audits }) });
    const { stdout } = await runHere(['third-parties', page], service.url);
    expect(service.bodies).toHaveLength(10);
    expect(stdout).toContain('Not blocked, because they cost less: t1.example, t0.example.');
  });
});
