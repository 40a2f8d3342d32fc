import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { prepareChromium } from '../../functions/auditor/chromium.ts';
import { type AuditVersion, auditVersion } from '../../shared/audit-versions.ts';
import { aFolder, removeFolder, root, startNode } from './children.ts';
import { auditorsOf, type Footprint, watchMemory } from './memory.ts';
import { checkDone, getJson, pathOf, type Service, since } from './service.ts';

/** One audit: seconds as its user waits for it, and as the engine itself counts them. */
export type Audit = { seconds: number; engineSeconds: number; performance: number; memory: Footprint | null };
export type Round = { service: Audit; commandLine: Audit };

type Report = { timing: { total: number }; categories: { performance: { score: number | null } } };
type Options = {
  service: Service;
  dataDir: string;
  pageUrl: string;
  version: AuditVersion;
  rounds: number;
  memory: boolean; // watched too: that takes some of the processor
  tell: (line: string) => void;
};
type AuditOptions = Omit<Options, 'rounds' | 'tell'>;

const IDLE_MS = 1500; // the next auditor starts in it, as it does between the checks of a service that is not busy

/** One audit each that does not count: what comes after finds Chromium unpacked and files in the system's cache. */
export const warmUp = async (options: Omit<Options, 'rounds' | 'memory'>): Promise<void> => {
  options.tell('one audit each that does not count');
  await auditByService({ ...options, memory: false });
  await auditByCommandLine({ ...options, memory: false });
};

/** The service and Lighthouse's own command line audit the same page with the same Chromium, by turns. */
export const auditByTurns = async (options: Options): Promise<Round[]> => {
  const { rounds: count, memory, tell } = options;
  const rounds: Round[] = [];
  for (let i = 0; i < count; i++) {
    const byService = () => pause(IDLE_MS).then(() => auditByService(options));
    const byCommandLine = () => pause(IDLE_MS).then(() => auditByCommandLine(options));
    const serviceFirst = i % 2 === 0;
    const first = await (serviceFirst ? byService() : byCommandLine());
    const second = await (serviceFirst ? byCommandLine() : byService());
    const [service, commandLine] = serviceFirst ? [first, second] : [second, first];
    rounds.push({ service, commandLine });
    const seconds = `service ${service.seconds.toFixed(2)} s, command line ${commandLine.seconds.toFixed(2)} s`;
    tell(`${memory ? 'memory' : 'turnaround'} ${i + 1}/${count}: ${seconds}`);
  }
  return rounds;
};

const auditByService = async ({ service, pageUrl, version, memory }: AuditOptions): Promise<Audit> => {
  using watch = memory ? watchMemory(() => auditorsOf(service.pid)) : undefined;
  const startedAt = performance.now();
  const check = await checkDone(service, { url: pageUrl, auditVersion: version, regions: ['us-west1'] });
  const seconds = since(startedAt);
  const peak = await watch?.stop();

  const [run] = check.runs;
  if (!run) throw new Error(`check ${check.id} has no run`);
  const report = await getJson<Report>(`${service.url}${pathOf(check, run)}/report`);
  return { seconds, ...engineOf(report), memory: peak ?? null };
};

const auditByCommandLine = async ({ dataDir, pageUrl, version, memory }: AuditOptions): Promise<Audit> => {
  const { executable, env } = await prepareChromium(dataDir); // the one that the service has unpacked
  const folder = aFolder();
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
    '--chrome-flags=--headless --no-sandbox --no-zygote --disable-dev-shm-usage', // as the service starts it
  ];
  const startedAt = performance.now();
  await using cli = startNode(args, { folder, env: { ...env, CHROME_PATH: executable, CI: '1' } });
  using watch = memory ? watchMemory(() => [cli.pid]) : undefined;
  const code = await cli.exited;
  const seconds = since(startedAt);
  const peak = await watch?.stop();
  if (code !== 0) throw new Error(`the command line of Lighthouse ${version} ended with ${code}:\n${cli.said()}`);

  const report = JSON.parse(await readFile(output, 'utf8')) as Report;
  await removeFolder(folder);
  return { seconds, ...engineOf(report), memory: peak ?? null };
};

/** Where a version's package keeps its command line. */
const commandLineOf = async (version: AuditVersion): Promise<string> => {
  const home = join(root, 'node_modules', auditVersion(version).package);
  const { bin } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as { bin: { lighthouse: string } };
  return join(home, bin.lighthouse);
};

const engineOf = ({ timing, categories }: Report) => {
  const { score } = categories.performance;
  if (score === null) throw new Error('an audit has no performance score');
  return { engineSeconds: timing.total / 1000, performance: Math.round(score * 100) };
};
