import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CreateCheckBody } from '../../shared/check.ts';
import { runHere } from '../support/command-context.ts';
import { compileCache } from '../support/compile-cache.ts';
import { finishedCheck, startFakeService } from '../support/fake-service.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'page-audit-test-config-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const command = resolve('clients/cli/page-audit.cjs');
/** Runs `run` in a folder with this file, and returns the check that it creates. */
const runWith = async (content: unknown, ...args: string[]) => {
  const bodies: CreateCheckBody[] = [];
  await using service = await startFakeService({
    create: (_, body) => {
      bodies.push(body as CreateCheckBody);
      return finishedCheck;
    },
  });
  writeFileSync(join(folder, 'page-audit.json'), JSON.stringify(content, null, 2));
  const { PATH = '' } = process.env;
  const env = { ...compileCache, PATH, PAGE_AUDIT_URL: service.url };
  const options = { cwd: folder, env };
  return await new Promise<{ code: number | null; stdout: string; stderr: string; body: CreateCheckBody | undefined }>(
    (done) => {
      const child = execFile(process.execPath, [command, 'run', ...args], options, (_, stdout, stderr) =>
        done({ code: child.exitCode, stdout, stderr, body: bodies[0] }),
      );
    },
  );
};

const content = {
  urls: ['https://shop.example/'],
  device: ['desktop'],
  samples: 3,
  region: 'us-west1',
  category: ['performance', 'seo'],
  label: { team: 'shop' },
  'throttling.rttMs': 40,
  format: 'json',
};

test('a file has the pages and options of `run`, and an option of the command wins', async () => {
  const { code, stdout, stderr, body } = await runWith(content, '--samples', '5', '--category', 'seo');
  expect(code, stderr).toBe(0);
  expect(body).toMatchObject({
    url: 'https://shop.example/',
    device: 'desktop',
    samples: 5,
    categories: ['seo'],
    labels: { team: 'shop' },
    throttling: { rttMs: 40 },
  });
  expect(JSON.parse(stdout).checks).toHaveLength(1);
  expect(stderr).toContain('Of page-audit.json: urls, region, device, throttling.rttMs, label, format.');
  const other = await runWith(content, 'https://other.example/', '--throttling', 'none');
  expect(other.body).toMatchObject({ url: 'https://other.example/', throttling: 'none' });
});

test.each([
  [{ sample: 3 }, /page-audit\.json:2:\d+: sample: Unknown key\. The accepted keys are .*samples/],
  [{ header: 'Cookie: a=b' }, /header: Unknown key/],
  [{ 'chrome-path': '/bin/sh' }, /chrome-path: Unknown key/],
  [{ samples: 'many' }, /page-audit\.json:2:\d+: samples: Use a whole number, or auto\./],
  [{ verbose: 'yes' }, /verbose: Expected true or false\./],
  [{ output: '../results.json' }, /output: Name a file in this folder\./],
  [{ urls: [] }, /urls/],
])('%j is refused by name, with its place', async (wrong, message) => {
  const { code, stderr, body } = await runWith(wrong, 'https://shop.example/');
  expect([code, body]).toEqual([2, undefined]);
  expect(stderr).toMatch(message);
});

test('the printed schema accepts what the command accepts', async () => {
  const { code, stdout } = await runHere(['config-schema'], undefined);
  expect(code).toBe(0);
  const validate = new Ajv2020({ strict: false }).compile(JSON.parse(stdout));
  expect(validate(content), JSON.stringify(validate.errors)).toBe(true);
  for (const wrong of [{ sample: 3 }, { header: 'a: b' }, { verbose: 'yes' }]) expect(validate(wrong)).toBe(false);
});
