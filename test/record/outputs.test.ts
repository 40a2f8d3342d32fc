import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../support/command-context.ts';
import { outputCommands, outputFile, PORT } from '../support/recorded-outputs.ts';
import { startLocally } from '../support/service.ts';
import { serveThirdParties } from '../support/third-parties-site.ts';

let dataDir: string;
let service: Awaited<ReturnType<typeof startLocally>>;
let site: Awaited<ReturnType<typeof serveThirdParties>>;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'outputs-'));
  service = await startLocally(dataDir, { TARGETS: 'local' });
  site = await serveThirdParties();
  await mkdir('test/recorded/outputs', { recursive: true });
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await service.stop();
  await rm(dataDir, { recursive: true });
});

test.each(Object.entries(outputCommands))('records what the command prints: %s', async (name, command) => {
  const { port } = new URL(site.url);
  const view = { width: 80, color: false };
  const args = command.replaceAll(PORT, port).split(' ').slice(2); // without npx page-audit
  const { code, stdout, stderr } = await runHere(args, service.url, '', { view });
  expect([code, stdout.length > 100], stderr).toEqual([name === 'against' ? 1 : 0, true]);
  await writeFile(outputFile(name), stdout.replaceAll(`:${port}`, `:${PORT}`));
});
