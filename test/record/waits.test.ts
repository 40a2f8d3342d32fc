import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { launchBrowser } from '../../functions/auditor/child/browser.ts';
import type { Waits } from '../../functions/auditor/cpu-waits.ts';
import { openEgressProxy } from '../../functions/auditor/egress/proxy.ts';
import { prepareChromium } from '../../functions/auditor/host/chromium.ts';
import { sampleWaits } from '../../functions/auditor/host/wait-sampler.ts';
import type { RunnerResult } from '../../functions/auditor/lighthouse/result.ts';
import { importLighthouse, runLighthouse } from '../../functions/auditor/lighthouse/run.ts';
import type { TraceEvent } from '../../functions/auditor/lighthouse/trace.ts';
import { reservePort } from '../../functions/lib/targets/audit-ports.ts';
import { type AuditVersion, auditVersion } from '../../shared/audit-versions.ts';
import { pick } from '../../shared/pick.ts';
import { startPages } from '../bench/pages.ts';
import { testChromium } from '../support/chromium-dir.ts';
import { majorVersions } from '../support/major-versions.ts';
import { anOrder } from '../support/order.ts';
import { servePages } from '../support/pages.ts';
import { type RecordedAudit, writeWaits } from '../support/recorded-waits.ts';

test.each(majorVersions)('records the waits of audits by version $version', async ({ version }) => {
  await using pages = await servePages();
  const url = pages.url('/tasks');
  setNice(-20); // leaves the CPUs to the audit, if this process may do so
  const free = await record(version, url);
  setNice(0);
  const loops = Array.from({ length: 2 * availableParallelism() }, () => spawn('sh', ['-c', 'while :; do :; done']));
  const busy = await record(version, url).finally(() => {
    for (const loop of loops) loop.kill('SIGKILL');
  });
  writeWaits(version, { free, busy });
  expect(busy.waits.pages.length).toBeGreaterThan(0);
  const processes = [...busy.waits.pages, ...busy.waits.others].map(([pid]) => pid);
  const ofTrace = new Set(busy.events.flatMap(({ pid }) => pid || [])); // 0 is of events without a process
  expect(processes).toEqual(expect.arrayContaining([...ofTrace])); // the waits name the processes as the trace does
});

test('records loads whose modules ran before the first paint, and after it', async () => {
  await using site = await startPages();
  const found = new Set<string>();
  for (let tries = 0; tries < 40 && found.size < 2; tries++) {
    const audit = await record('13.5.0', site.url('requests'));
    const timeOf = (name: string) => audit.events.find((event) => event.name === name)?.ts ?? 0;
    const name = timeOf('v8.evaluateModule') < timeOf('firstContentfulPaint') ? 'modules-before' : 'modules-after';
    if (!found.has(name))
      writeFileSync(`test/recorded/steady/${name}.json.gz`, gzipSync(JSON.stringify(audit), { level: 9 }));
    found.add(name);
  }
  expect(found.size).toBe(2);
});

/** Sets the share of this session of the CPUs. */
const setNice = (nice: number) => {
  try {
    writeFileSync('/proc/self/autogroup', `${nice}`);
  } catch {
    // Only root may raise the share.
  }
};

/** Audits a page in this process. */
const record = async (version: AuditVersion, url: string): Promise<RecordedAudit> => {
  const lighthouse = await importLighthouse(version);
  const workDir = await mkdtemp(join(tmpdir(), 'waits-'));
  const proxy = await openEgressProxy({ targets: 'local', ports: [], url });
  const debugging = auditVersion(version).acceptsPage ? undefined : await reservePort();
  const { executable, env } = await prepareChromium(testChromium());
  const { page, close, profile } = await launchBrowser({
    executable,
    env,
    workDir,
    proxyPort: proxy.port,
    sandbox: 'none',
    debuggingPort: debugging?.port,
  });
  const { trace } = lighthouse;
  const endTrace = trace.endTraceAndCollectEvents;
  let events: RecordedAudit['events'] = [];
  trace.endTraceAndCollectEvents = async (session) => {
    const ended = await endTrace.call(trace, session);
    events = ended.traceEvents.map((event) => structuredClone(event));
    return ended;
  };
  let result: RunnerResult | undefined;
  const run: typeof lighthouse.run = async (...args) => {
    result = await lighthouse.run(...args);
    return result;
  };
  const endSampling = sampleWaits(process.pid);
  let waits: Waits | undefined;
  await runLighthouse(
    { ...lighthouse, run },
    anOrder({ url, auditVersion: version, categories: ['performance'], skipOptionalParts: true }),
    {
      page,
      profile,
      benchmark: { index: 2000, measuredAt: '2026-01-01T00:00:00.000Z' },
      onLoaded: async () => {},
      documentFor: (requestId) => requestId,
      onNavigate: () => {},
      traffic: { pending: 0, answeredAt: 0, longTasks: 0 },
      onMeasured: async () => {
        waits = endSampling();
        return undefined;
      },
    },
  );
  trace.endTraceAndCollectEvents = endTrace;
  await close();
  await proxy.close();
  debugging?.release();
  await rm(workDir, { recursive: true });
  const artifacts = (result?.artifacts ?? {}) as Record<string, unknown>;
  return { events: events.filter(isNeeded), waits: waits as Waits, artifacts: pick(artifacts, names) };
};

const names = [
  'settings',
  'URL',
  'GatherContext',
  'HostDPR',
  'HostFormFactor',
  'SourceMaps',
  'Stacks',
  'DevtoolsLog',
  'devtoolsLogs',
  'HostProduct',
  'HostUserAgent',
];

/** Returns true for an event that a rule or a metric reads: other short events of tasks change none. */
const isNeeded = ({ name, ph, dur = 0, cat = '' }: TraceEvent & { cat?: string }): boolean =>
  ph === 'M' ||
  /EvaluateScript|evaluateModule/.test(name) ||
  (ph === 'X' ? dur >= 1000 : ph === 'R' || /loading|user_timing|devtools\.timeline(,|$)/.test(cat));
