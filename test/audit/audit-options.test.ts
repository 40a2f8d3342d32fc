import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type AuditVersion, auditVersions } from '../../shared/audit-versions.ts';
import { noMetrics } from '../../shared/page-metrics.ts';
import { FULL } from '../support/full.ts';
import { type Audited, type Lab, openLab } from '../support/page-lab.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const newest = auditVersions[0].version;
const versions = auditVersions.map(({ version }) => version);

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

test('an audit measures only the requested categories and leaves the others null', async () => {
  lab.pages.hits.clear();
  const categories = ['seo', 'agentic-browsing'] as const;
  const { metrics, report } = await lab.audit('/perfect', newest, { categories: [...categories] });
  expect(metrics).toEqual({ ...noMetrics, seo: 100, agenticBrowsing: 100 });
  expect(Object.keys(report.categories).sort()).toEqual([...categories].sort());
  expect(lab.pages.hits.get('/llms.txt')).toBe(1); // through the proxy, as every request of the browser
});

/** Throttling of the audits that also skip the parts that hang some pages. */
const throttlingOf = {
  [newest]: { rttMs: 80, throughputKbps: 5000, cpuSlowdownMultiplier: 2 },
  '9.6.8': 'none',
} as const;
const skipping = new Map<AuditVersion, Promise<Audited>>();
const auditSkipping = (version: keyof typeof throttlingOf) => {
  const started =
    skipping.get(version) ??
    lab.audit('/perfect', version, { skipOptionalParts: true, throttling: throttlingOf[version] });
  skipping.set(version, started);
  return started;
};

test.each([newest, '9.6.8'] as const)(
  'version %s can skip the parts that hang some pages: the numbers stay the same, and a warning says so',
  async (version) => {
    const { metrics, verdict, report } = await auditSkipping(version);
    expect(metrics).toMatchObject({ accessibility: 100, bestPractices: 100, seo: 100, cls: 0 });
    expect(verdict.warnings.join()).toMatch(/skipped the bf-cache audit and the full-page screenshot/);
    expect(report.fullPageScreenshot ?? report.audits['full-page-screenshot']).toBeUndefined();
    const began = (artifact: string) =>
      report.timing.entries.find(({ name }) => name.startsWith('lh:gather:') && name.endsWith(`:${artifact}`))
        ?.startTime;
    expect(began('Accessibility')).toBeLessThan(began('AnchorElements') ?? Number.NaN); // AnchorElements precedes most others
  },
);

test('the throttling of a check reaches Lighthouse, and the environment shows it', async () => {
  const { report, verdict } = await auditSkipping(newest);
  expect(report.configSettings).toMatchObject({ throttlingMethod: 'simulate', throttling: throttlingOf[newest] });
  expect(verdict.environment).toMatchObject({ throttling: 'simulate', throttlingValues: throttlingOf[newest] });
  const unthrottled = await auditSkipping('9.6.8');
  expect(unthrottled.report.configSettings.throttlingMethod).toBe('provided');
  expect(unthrottled.verdict.environment).toMatchObject({ throttling: 'provided', throttlingValues: null });
});

test.each(FULL ? versions : ([newest, '9.6.8'] as const))(
  'version %s blocks requests of the page, its frames and its workers, and loads the rest',
  async (version) => {
    lab.pages.hits.clear();
    const blockedUrlPatterns = ['*/ads/*'];
    const { report, verdict } = await lab.audit('/requests', version, { categories: ['seo'], blockedUrlPatterns });
    expect(report.configSettings).toMatchObject({ blockedUrlPatterns });
    expect(verdict.environment).toMatchObject({ blockedUrlPatterns });
    expect(verdict).toMatchObject({ blockedRequests: [], blockedRequestCount: 0 });
    const requested = [...lab.pages.hits.keys()].filter((path) => path !== '/robots.txt');
    const watchesWorkers = version !== '10.4.0' && version !== '9.6.8';
    const inWorker = watchesWorkers ? [] : ['/ads/worker.js'];
    expect(requested.sort()).toEqual([...inWorker, '/requests', '/requests-frame', '/requests-worker.js']);
  },
);
