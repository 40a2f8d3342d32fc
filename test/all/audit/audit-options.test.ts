import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuditVersion, auditVersions } from '../../../shared/audit-versions.ts';
import { noMetrics } from '../../../shared/metrics/page-metrics.ts';
import { type SimulatedLoad, simulatedNames } from '../../../shared/options/simulated-loads.ts';
import type { Simulation } from '../../../shared/options/simulations.ts';
import { presets, type Throttling } from '../../../shared/options/throttling.ts';
import { pick } from '../../../shared/pick.ts';
import { FULL } from '../../support/full.ts';
import { expectHar } from '../../support/har.ts';
import { majorVersions } from '../../support/major-versions.ts';
import { type Audited, type Lab, openLab } from '../../support/page-lab.ts';

const newest = auditVersions[0].version;
const versions = majorVersions.map(({ version }) => version);

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

test('the HAR says why the service or the browser did not request a part of the page', async () => {
  const options: Parameters<typeof lab.audit>[2] = { categories: ['seo'], artifacts: ['har'], skipOptionalParts: true };
  const { verdict } = await lab.audit('/unreached', newest, options);
  const { entries } = expectHar(JSON.parse(gunzipSync(verdict.report?.artifacts?.har?.gzip ?? '').toString())).log;
  const unreached = entries.filter(({ response }) => response.status === 0);
  expect(Object.fromEntries(unreached.map(({ request, response }) => [request.url, response._error]))).toEqual({
    'http://127.0.0.1:6667/unsafe.png': 'net::ERR_UNSAFE_PORT',
    'http://10.0.0.1/private.png': expect.stringMatching(/^refused by this service: The host must be .* Private, /),
    'http://example.org:8081/port.png': expect.stringMatching(/^refused by this service: Port 8081 is not accepted./),
    'http://127.0.0.1:2/closed.png': 'net::ERR_SOCKS_CONNECTION_FAILED: ECONNREFUSED',
  });
});

/** Throttling of the audits that also skip the parts that hang some pages. */
const throttlingOf: Partial<Record<AuditVersion, Throttling>> = {
  [newest]: { rttMs: 80, throughputKbps: 5000, cpuSlowdownMultiplier: 2 },
  '9.6.8': 'none',
};
const skipping = new Map<AuditVersion, Promise<Audited>>();
/** Audits the page once with each version. The first simulation has the throttling of the audit itself. */
const auditSkipping = (version: AuditVersion) => {
  const throttling = throttlingOf[version] ?? presets.mobile;
  const own = { name: 'own', ...(throttling === 'none' ? presets.mobile : throttling) };
  const options = { throttling, simulations: [own, '3g', 'slow-phone', 'region'] satisfies Simulation[] };
  const started = skipping.get(version) ?? lab.audit('/perfect', version, { skipOptionalParts: true, ...options });
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

test.each(FULL ? versions : ([newest, '11.7.1', '9.6.8'] as const))(
  'version %s simulates the same load for other networks and phones, and itself without any difference',
  async (version) => {
    const { verdict } = await auditSkipping(version);
    if (verdict.state !== 'succeeded') throw new Error('The audit failed.');
    const [own, slow, phone, region] = verdict.simulations as [SimulatedLoad, ...SimulatedLoad[]];
    const isSimulated = throttlingOf[version] !== 'none';
    if (isSimulated) expect(own).toMatchObject(pick(verdict.metrics, simulatedNames));
    expect([own, slow, phone, region].map((load) => load?.reason)).toEqual([null, null, null, null]);
    expect(slow).toMatchObject({ rttMs: 300, throughputKbps: 700, cpuSlowdownMultiplier: own.cpuSlowdownMultiplier });
    expect(phone).toMatchObject({ rttMs: own.rttMs, cpuSlowdownMultiplier: 8 });
    const [lcp, rttMs] = (['lcp', 'rttMs'] as const).map((name) => (slow?.[name] ?? 0) - (own[name] ?? 0));
    expect(lcp).toBeGreaterThan(2 * (rttMs as number)); // a connection and a request
    expect(region?.rttMs).toBeLessThan(own.rttMs as number);
    expect(region?.lcp).toBeLessThan(own.lcp as number);
  },
);

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
