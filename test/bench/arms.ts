import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { prepareChromium } from '../../functions/auditor/host/chromium.ts';
import { type AuditVersion, auditVersion } from '../../shared/audit-versions.ts';
import type { Secrets } from '../../shared/options/secrets.ts';
import { newFolder, programsOf, removeFolder, root, startNode } from './children.ts';
import { auditorsOf, type Footprint, watchMemory } from './memory.ts';
import { type Report, withValues } from './reading.ts';
import { getJson, pathOf, type Service, since, succeededCheck } from './service.ts';
import { type Trace, traceOf } from './trace.ts';

/** One audit: the seconds that its user waits, its Lighthouse result, and its memory if that was watched. */
export type ArmResult = { seconds: number; report: Report; memory: Footprint | null; trace?: Trace };

/** One way to audit a page. Two arms of a comparison differ only in what they compare. */
export type Arm = (target: { pageUrl: string; version: AuditVersion }) => Promise<ArmResult>;

const IDLE_MS = 1500; // the service starts its next auditor meanwhile, as it does between checks

/** Runs each arm once, one after another. Each round begins with another arm. */
export const runInTurn = async <Name extends string, T>(
  arms: Record<Name, () => Promise<T>>,
  round: number,
): Promise<Record<Name, T>> => {
  const names = Object.keys(arms) as Name[];
  const first = round % names.length;
  const results: Partial<Record<Name, T>> = {};
  for (const name of [...names.slice(first), ...names.slice(0, first)]) {
    await pause(IDLE_MS);
    results[name] = await arms[name]();
  }
  return results as Record<Name, T>;
};

type AuditOptions = { memory?: boolean; pollMs?: number; inputs?: Secrets };

/** Audits through the service's API, from the POST to `succeeded`. Watching the memory and polling use some CPU. */
export const auditByService =
  (service: Service, { memory = false, pollMs, inputs = {} }: AuditOptions = {}): Arm =>
  async ({ pageUrl, version }) => {
    using watch = memory ? watchMemory(() => auditorsOf(service.pid)) : undefined;
    const postedAt = Date.now();
    const startedAt = performance.now();
    const body = { url: pageUrl, auditVersion: version, regions: ['us-west1'], ...inputs };
    const check = await succeededCheck(service, body, pollMs ? { pollMs } : {});
    const seconds = since(startedAt);
    const peak = await watch?.stop();

    const [run] = check.runs;
    if (!run) throw new Error(`check ${check.id} has no run`);
    const report = withValues(await getJson(`${service.url}${pathOf(check, run)}/report`), run.uncorrected);
    return {
      seconds,
      report,
      memory: peak ?? null,
      trace: traceOf(service.printedLines(), { postedAt, seconds, report }),
    };
  };

/** Audits with Lighthouse's command line and its defaults, the service's categories, and the Chromium of the service on `dataDir`. */
export const auditByCommandLine =
  (dataDir: string, { memory = false }: { memory?: boolean } = {}): Arm =>
  async ({ pageUrl, version }) => {
    const { executable, env } = await prepareChromium({ chromiumDir: programsOf(dataDir) });
    const folder = newFolder();
    const output = join(folder, 'report.json');
    const { pwa } = auditVersion(version);
    const categories = ['performance', 'accessibility', 'best-practices', 'seo', ...(pwa ? ['pwa'] : [])];
    const args = [
      await commandLineOf(version),
      pageUrl,
      '--quiet',
      '--output=json',
      `--output-path=${output}`,
      `--only-categories=${categories.join()}`,
      '--no-enable-error-reporting',
      '--chrome-flags=--headless --no-sandbox --no-zygote --disable-dev-shm-usage', // Chromium has no sandbox for root
    ];
    const startedAt = performance.now();
    await using cli = startNode(args, { folder, env: { ...env, CHROME_PATH: executable, CI: '1' } });
    using watch = memory ? watchMemory(() => [cli.pid]) : undefined;
    const code = await cli.exited;
    const seconds = since(startedAt);
    const peak = await watch?.stop();
    if (code !== 0) throw new Error(`The command line of Lighthouse ${version} exited with ${code}:\n${cli.output()}`);

    const report = JSON.parse(await readFile(output, 'utf8')) as Report;
    await cli.end();
    await removeFolder(folder);
    return { seconds, report, memory: peak ?? null };
  };

/** Returns the path of a version's command line. */
const commandLineOf = async (version: AuditVersion): Promise<string> => {
  const home = join(root, 'node_modules', auditVersion(version).package);
  const { bin } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as { bin: { lighthouse: string } };
  return join(home, bin.lighthouse);
};
