import { defineConfig } from 'vitest/config';
import { ClosingNotes } from './test/support/closing-notes.ts';
import { LongestFirst } from './test/support/longest-first.ts';

const project = (name: string, include: string[], groupOrder: number, more = {}) => ({
  test: { name, include, sequence: { groupOrder }, ...more },
});

/** `npm run record` rewrites test/recorded by real audits. */
const recording = { testTimeout: 600_000, hookTimeout: 60_000, fileParallelism: false, maxConcurrency: 3 };
/** `npm run test:moto` runs the built functions on moto's server, which stands for AWS. */
const moto = { testTimeout: 600_000, hookTimeout: 300_000, globalSetup: 'test/moto/start-moto.ts' };
/** A limit ends a test that hangs. It says nothing about speed, because a busy machine takes several times as long. */
const patient = { testTimeout: 120_000, hookTimeout: 120_000 };
/** The projects of one group have the same number. The default leaves one of two cores idle, and files that wait for a service leave another. */
const fastTests = { ...patient, maxWorkers: 3 };
/**
 * A test of real processes and browsers may lose a race that its product does not have. A test that passed only when it
 * was retried is printed at the end of the run.
 */
const retried = { retry: 1 };
const audits = {
  ...retried,
  testTimeout: 600_000,
  hookTimeout: 600_000,
  globalSetup: 'test/support/bundle-auditor.ts',
};

export default defineConfig({
  test: {
    silent: 'passed-only',
    globalSetup: ['test/support/run-folder.ts', 'test/support/runner-share.ts'],
    reporters: ['dot', new ClosingNotes()],
    sequence: { sequencer: LongestFirst },
    expect: { poll: { timeout: 100_000 } },
    env: { POWERTOOLS_LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' },
    projects: [
      // Group 1 runs first. Vitest treats 0 as unset and runs that group last.
      project('fast', ['test/{integration,mocked,simulation}/**/*.test.ts', 'test/clients/*.test.ts'], 1, {
        ...fastTests,
        ...retried,
        isolate: false, // the files share the packages that they import, which saves a third of their CPU time
        setupFiles: 'test/support/fresh-modules.ts',
      }),
      // The files share their modules, which saves a quarter of their CPU time. A file that mocks or resets modules is in test/mocked.
      project('unit', ['test/unit/**/*.test.ts'], 1, { ...fastTests, isolate: false }),
      // The files share one import of the CDK, which takes longer than their tests. Only templates.test.ts validates the templates.
      project('infra', ['test/infra/**/*.test.ts'], 1, {
        ...fastTests,
        isolate: false,
        env: { CDK_VALIDATION: 'false' },
      }),
      // One of the two files waits for its service most of the time.
      project('audit', ['test/audit/**/*.test.ts'], 2, { ...audits, maxWorkers: 2 }),
      // `npm run test:all`. Two files at a time would leave cores idle while they wait for a service.
      project('browser', ['test/all/{audit,bundle,clients}/**/*.test.ts'], 3, { ...audits, maxWorkers: 3 }),
      // These tests measure pages or load all CPUs, so only one file runs at a time.
      project('timed', ['test/all/timed/**/*.test.ts'], 4, { ...audits, fileParallelism: false }),
      ...(process.env.MOTO === '1' ? [project('moto', ['test/moto/**/*.test.ts'], 5, moto)] : []),
      // The short form is part of `npm test`. Without moto its tests are skipped, and a note at the end says so.
      project('moto-short', ['test/moto/judged-table.test.ts'], 1, { ...fastTests, ...moto }),
      ...(process.env.RECORD === '1' ? [project('record', ['test/record/**/*.test.ts'], 5, recording)] : []),
    ],
  },
});
