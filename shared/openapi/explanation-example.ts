import { explain } from '../explanation/explanation.ts';
import { factsOf } from '../explanation/facts.ts';
import type { Report } from '../explanation/report.ts';
import type { CheckExplanation } from '../explanation/schema.ts';

/** Returns the parts of a report of a page whose largest image has this size and delays the largest paint until then. */
const report = (bytes: number, lcpMs: number, score: number): Report => ({
  mainDocumentUrl: 'https://example.com/',
  categories: {
    performance: {
      score,
      auditRefs: [
        { id: 'largest-contentful-paint', weight: 25, group: 'metrics' },
        { id: 'total-blocking-time', weight: 75, group: 'metrics' },
      ],
    },
  },
  audits: {
    'largest-contentful-paint': { score, numericValue: lcpMs },
    'total-blocking-time': { score: 1, numericValue: 0 },
    'lcp-breakdown-insight': { details: { items: [{ selector: 'main > img', snippet: '<img src="/hero.jpg">' }] } },
    'network-requests': {
      details: {
        items: [{ url: 'https://example.com/hero.jpg', resourceType: 'Image', transferSize: bytes }],
      },
    },
    redirects: { numericValue: 0, details: { items: [] } },
    'server-response-time': { numericValue: 42 },
  },
  configSettings: { throttling: { throughputKbps: 1638.4 } },
});

/** Example of an explanation, made by the function that makes the answer. */
export const explanationExample = (checkId: string, baseCheckId: string): CheckExplanation => ({
  checkId,
  baseCheckId,
  comparable: true,
  regions: {
    'us-west1': explain(factsOf(report(61_440, 2436, 0.9)), factsOf(report(358_400, 3795, 0.61)), {
      lcp: { verdict: 'regressed', change: 1359 },
    }),
  },
});
