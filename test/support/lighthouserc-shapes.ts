import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Row } from './assertion-cases.ts';

/** Files of Lighthouse CI in the shapes of public repositories. The first file is the one that a command names. */
export const shapes: Record<string, Record<string, unknown>> = {
  'the example of the documentation': {
    'lighthouserc.json': {
      ci: {
        collect: { url: ['http://localhost:3000/'], startServerCommand: 'echo ready', numberOfRuns: 1 },
        assert: { preset: 'lighthouse:recommended', assertions: { 'offscreen-images': 'off', 'image-alt': 'warn' } },
        upload: { target: 'temporary-public-storage' },
      },
    },
  },
  'a preset without the app audits': {
    'lighthouserc.js': `module.exports = ${JSON.stringify({
      ci: {
        collect: { staticDistDir: '.', url: ['/index.html'] },
        assert: { preset: 'lighthouse:no-pwa', assertions: { 'unused-javascript': ['warn', { maxLength: 0 }] } },
      },
    })};`,
    'index.html': '<title>built</title>',
  },
  'scores of categories': {
    'lighthouserc.yml': `ci:
  collect: { url: http://localhost:3000/, settings: { preset: desktop } }
  assert:
    assertions:
      categories:performance: [error, { minScore: 0.9 }]
      categories:accessibility: [error, { minScore: 0.9 }]
      categories:best-practices: [warn, { minScore: 1 }]
      categories:seo: [error, { minScore: 0.8 }]
`,
  },
  'categories that the version lacks': {
    '.lighthouserc.json': {
      ci: { assert: { assertions: { 'categories:pwa': ['error', { minScore: 0.5 }], 'categories.seo': 'error' } } },
    },
  },
  'limits of metrics with a method': {
    'lighthouserc.json': {
      ci: {
        assert: {
          aggregationMethod: 'median-run',
          assertions: {
            'first-contentful-paint': ['error', { maxNumericValue: 2000, aggregationMethod: 'optimistic' }],
            'largest-contentful-paint': ['warn', { maxNumericValue: 1 }],
            'cumulative-layout-shift': ['error', { maxNumericValue: 0.1 }],
            'total-blocking-time': ['error', { maxNumericValue: 200, aggregationMethod: 'median' }],
          },
        },
      },
    },
  },
  'sets for patterns of URLs': {
    'lighthouserc.cjs': `module.exports = ${JSON.stringify({
      ci: {
        assert: {
          assertMatrix: [
            { matchingUrlPattern: '.*', assertions: { 'document-title': 'error', 'image-alt': 'warn' } },
            { matchingUrlPattern: '/admin/', preset: 'lighthouse:all' },
            { matchingUrlPattern: 'faulty', assertions: { 'button-name': 'error' } },
          ],
        },
      },
    })};`,
  },
  'a file of budgets': {
    'lighthouserc.json': { ci: { assert: { budgetsFile: 'budget.json' } } },
    'budget.json': [
      {
        path: '/*',
        resourceSizes: [{ resourceType: 'total', budget: 1 }],
        resourceCounts: [{ resourceType: 'third-party', budget: 0 }],
        timings: [{ metric: 'interactive', budget: 60000 }],
      },
    ],
  },
  'sizes and numbers of resources': {
    'lighthouserc.yaml': `ci:
  assert:
    assertions:
      resource-summary:script:size: [error, { maxNumericValue: 100000 }]
      resource-summary.total.count: [warn, { maxNumericValue: 1 }]
      uses-http2: off
      no-such-audit: warn
`,
  },
  'a file that extends another': {
    'lighthouserc.json': { lhci: { extends: './base.json', assert: { assertions: { 'button-name': ['warn'] } } } },
    'base.json': { ci: { assert: { assertions: { 'button-name': ['error', { minScore: 1 }], label: 'error' } } } },
  },
  'levels, options and keys that count for nothing': {
    'lighthouserc.json': {
      ci: {
        assert: {
          presets: 'lighthouse:all',
          assertions: {
            'button-name': 'warning',
            'image-alt': ['error', { minimumScore: 0.5 }],
            documentTitle: 'error',
            label: null,
            'html-has-lang:items': 'error',
          },
        },
      },
    },
  },
};

/** Writes the files of a shape into a folder. Returns the path of the one that a command names. */
export const writeShape = (folder: string, files: Record<string, unknown>): string => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return join(folder, Object.keys(files)[0] as string);
};

/** The exit code of `lhci assert`, and the results that failed. */
export type Outcome = { exitCode: number; failed: Row[] };
const file = new URL('../recorded/lighthouserc-shapes.json', import.meta.url);
/** The outcomes of Lighthouse CI by the name of the shape. `npm run record` records them. */
export const readShapeOutcomes = (): Record<string, Outcome> => JSON.parse(readFileSync(file, 'utf8'));
export const writeShapeOutcomes = (outcomes: Record<string, Outcome>): void =>
  writeFileSync(file, `${JSON.stringify(outcomes, null, 1)}\n`);
