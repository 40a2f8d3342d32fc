import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Forbidden imports, by the folder that must refuse them. */
const forbidden: Record<string, readonly string[]> = {
  shared: ['node:fs', '../functions/lib/log.ts', '../clients/api/client.ts', '@aws-sdk/client-s3'],
  'shared/comparison': ['node:fs', '../../functions/lib/log.ts', 'lighthouse'],
  clients: ['../functions/sweep.ts', '../infra/names.ts', '@aws-sdk/client-s3', 'puppeteer-core', 'constructs'],
  functions: ['./sweep.ts', '../infra/names.ts', './auditor/child/browser.ts', 'lighthouse-12', 'aws-cdk-lib'],
  'functions/lib': ['../sweep.ts', './auditor/stop-rules.ts', 'lighthouse/core/index.js', 'constructs'],
  'functions/lib/targets': ['../../sweep.ts', '../../auditor/stop-rules.ts', 'lighthouse'],
  'functions/lib/runs': ['../../sweep.ts', 'lighthouse/core/index.js', 'constructs'],
  'functions/lib/http': ['../../sweep.ts', '../queue/consumer.ts', '@aws-sdk/client-s3', 'lighthouse'],
  'functions/lib/queue': ['../../sweep.ts', '../http/input.ts', '@sparticuz/chromium'],
  'functions/lib/store': [
    '../../sweep.ts',
    '../http/input.ts',
    '../queue/consumer.ts',
    '../retry.ts',
    '../runs/claim.ts',
    'lighthouse',
  ],
  'functions/auditor': ['node:fs', './host/machine.ts', '../lib/log.ts'],
  'functions/auditor/verdict': [
    'node:fs',
    '../host/machine.ts',
    '../child/motion.ts',
    '../../lib/log.ts',
    'lighthouse',
  ],
  'functions/auditor/parent': ['../child/motion.ts', '../lighthouse/run.ts', '../../sweep.ts', '@aws-sdk/client-s3'],
  'functions/auditor/child': ['../parent/timers.ts', '../verdict/judge.ts', '../egress/proxy.ts', '../../sweep.ts'],
  'functions/auditor/lighthouse': ['../parent/timers.ts', '../verdict/judge.ts', '../../lib/store/items.ts'],
  'functions/auditor/egress': ['../stop-rules.ts', '../parent/timers.ts', '../../lib/store/items.ts'],
  'functions/auditor/host': ['../stop-rules.ts', '../verdict/judge.ts', '../../lib/http/input.ts'],
  infra: ['../functions/sweep.ts', './aws/app.ts', './local/aws.ts', '@aws-sdk/client-s3', 'constructs'],
  'infra/bundle': ['../../functions/sweep.ts', '../aws/app.ts', '../local/aws.ts', 'lighthouse'],
  'infra/aws': ['../../functions/sweep.ts', '../local/aws.ts', '@aws-sdk/client-s3', 'lighthouse-12/core/index.js'],
  'infra/local': ['../../test/support/full.ts', 'aws-cdk-lib/aws-s3', 'puppeteer-core'],
  'infra/operator': ['../../test/support/full.ts', '@aws-sdk/client-s3', 'constructs', 'puppeteer-core'],
};

/** Imports that a folder needs, and that its rules must not refuse. */
const allowed: Record<string, readonly string[]> = {
  shared: ['zod', './run.ts', './comparison/comparison.ts'],
  'shared/comparison': ['zod', '../run.ts', '../assertions/values.ts'],
  functions: ['../shared/run.ts', './lib/log.ts', './auditor/parent/auditors.ts', 'zod'],
  'functions/lib/http': ['../store/items.ts', '../log.ts', '../../../shared/run.ts', 'lighthouse/report/x.js'],
  'functions/lib/store': ['./items.ts', '../log.ts', '@aws-sdk/lib-dynamodb'],
  'functions/auditor': ['./messages.ts', '../../shared/run.ts'],
  'functions/auditor/verdict': ['./moves.ts', '../messages.ts', '../../lib/redact.ts', '../../../shared/run.ts'],
  'infra/bundle': ['../../functions/auditor/lighthouse/stand-ins.ts', 'esbuild'],
  'infra/local': ['../../functions/sweep.ts', '@aws-sdk/client-s3'],
};

const probesOf = (folders: Record<string, readonly string[]>, name: string) =>
  Object.entries(folders).flatMap(([folder, modules]) =>
    modules.map((module, i) => ({ file: `${folder}/${name}-${i}.ts`, module })),
  );

test('each folder refuses the imports that its rules forbid, and accepts those that it needs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'page-audit-imports-'));
  try {
    for (const file of ['biome.json', '.gitignore']) cpSync(join(root, file), join(folder, file));
    const refused = probesOf(forbidden, 'refused');
    const probes = [...refused, ...probesOf(allowed, 'accepted')];
    for (const { file, module } of probes) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), `import * as probe from '${module}';\n\nexport default probe;\n`);
    }
    const rule = ['--only=style/noRestrictedImports', '--max-diagnostics=none', '--reporter=json'];
    expect(filesIn(lint(folder, rule))).toEqual(refused.map(({ file }) => file).sort());
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Returns the report of biome, which fails because it finds something. */
const lint = (cwd: string, options: string[]): string =>
  spawnSync(join(root, 'node_modules/.bin/biome'), ['lint', ...options, '.'], { cwd, encoding: 'utf8' }).stdout;

const filesIn = (report: string): string[] =>
  [...report.matchAll(/"path":\s*"(?:\.\/)?([^"]+-\d+\.ts)"/g)].map(([, file]) => file as string).sort();
