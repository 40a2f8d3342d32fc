import { defineConfig } from 'vitest/config';

const project = (name: string, include: string[], groupOrder: number, more = {}) => ({
  test: { name, include, sequence: { groupOrder }, ...more },
});

/** Of the slow ones, those in which nothing is measured. */
const unmeasured = [
  'test/audit/{exits,hardening,report-page,service,ssrf-cases}.test.ts',
  'test/bundle/api-bundles.test.ts',
];
const patience = { testTimeout: 120_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    silent: 'passed-only',
    reporters: ['dot'],
    env: { POWERTOOLS_LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' },
    projects: [
      // The quick ones first. (0 would be the last: Vitest takes it for none.)
      project('fast', ['test/{unit,integration}/**/*.test.ts'], 1, { testTimeout: 20_000, hookTimeout: 20_000 }),
      // One import of the CDK for all of them: it takes longer than their tests.
      project('infra', ['test/infra/**/*.test.ts'], 1, { testTimeout: 20_000, isolate: false }),
      project('unmeasured', unmeasured, 2, { ...patience, maxWorkers: 2 }),
      // Real audits are measured: one at a time, and nothing beside them.
      project('audit', ['test/{audit,bundle}/**/*.test.ts'], 3, {
        ...patience,
        exclude: unmeasured,
        fileParallelism: false,
      }),
    ],
  },
});
