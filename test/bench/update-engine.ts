import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { auditVersions } from '../../shared/audit-versions.ts';
import { endAll, newFolder, root } from './children.ts';
import { lighthouseUpdate, writeChromium, writeLighthouse, writeSection } from './engine-files.ts';
import { chromiumSteps, type MeasuredPage } from './engine-steps.ts';
import { pageNames, startPages } from './pages.ts';

const usage = `Usage: npm run update-engine -- <lighthouse|chromium> <version> [--samples <number>] [--no-suites]
       npm run update-engine -- steps [--samples <number>]

Raises Lighthouse or Chromium in a clean clone: changes the versions, installs them, audits the known pages by both,
writes the steps to functions/auditor/ACCURACY.md, makes the recordings of that version, and runs the suites. Review
git diff, and commit it.
The command "steps" only writes the steps from the previous minor version of Lighthouse to the newest again.

  --samples <number>  audits of each page by each version (default 3)
  --no-suites         leaves out the recordings, npm test and npm run test:all
`;
/** Recordings that are named after their version. */
const recordings = ['reports', 'explanations', 'fixes', 'waits'].map((name) => `test/record/${name}.test.ts`);
const TARGET = 'functions/auditor/ACCURACY.md';

/** Runs a command, and shows its output. */
const run = (command: string, ...args: string[]): void => {
  console.error(`$ ${[command, ...args].join(' ')}`);
  execFileSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
};

/** Runs `page-audit` on the known pages, with a service of its own. Returns its output with the paths of the pages. */
const auditKnownPages = async (args: readonly string[]): Promise<string> => {
  await using pages = await startPages();
  const urls = pageNames.map((name) => pages.url(name));
  const command = ['clients/cli/main.ts', ...args, '--urls-file', '-', '--data', newFolder(), '--timeout', '7200'];
  const child = spawn(process.execPath, command, { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(urls.join('\n'));
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) throw new Error(`page-audit ${args[0]} ended with code ${code}.`);
  const { host } = new URL(urls[0] ?? '');
  return output.replaceAll(new RegExp(`http(:|&#58;)//${host}`, 'g'), '');
};

const measuredPages = async (samples: string): Promise<MeasuredPage[]> =>
  JSON.parse(await auditKnownPages(['run', '--samples', samples, '--format', 'json'])).checks;

const updateLighthouse = async (version: string, samples: string): Promise<void> => {
  const [newest, previous] = auditVersions;
  const update = lighthouseUpdate(version, newest.version, previous.version);
  const files = writeLighthouse(update);
  console.error(`Changed: ${files.join(', ')}`);
  run('npm', 'install', '--no-audit', '--no-fund');
  await writeSteps(update.previous, update.newest, samples);
};

/** Audits the known pages by both versions of Lighthouse, and writes the steps. */
const writeSteps = async (from: string, to: string, samples: string): Promise<void> => {
  const compared = ['versions', '--from', from, '--to', to, '--samples', samples, '--format', 'markdown'];
  writeSection(TARGET, `What Lighthouse ${minorOf(to)} changed`, `${PAGES}\n\n${await auditKnownPages(compared)}`);
};
const minorOf = (version: string) => version.slice(0, version.lastIndexOf('.'));
const PAGES = 'The pages of the benchmarks, by `npm run update-engine`. A value that stays the same is there once.';

const updateChromium = async (version: string, samples: string): Promise<void> => {
  const before = await measuredPages(samples);
  const from = writeChromium(version);
  run('npm', 'install', '--no-audit', '--no-fund');
  const after = await measuredPages(samples);
  writeSection(TARGET, `What Chromium ${version} changed`, chromiumSteps({ from, to: version, before, after }));
};

const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    allowNegative: true,
    options: {
      samples: { type: 'string', default: '3' },
      suites: { type: 'boolean', default: true },
      help: { type: 'boolean', default: false },
    },
  });
  const [engine, version, ...others] = positionals;
  if (values.help) return console.log(usage);
  if (engine === 'steps' && version === undefined) {
    const [to, from] = auditVersions;
    return writeSteps(from.version, to.version, values.samples);
  }
  if ((engine !== 'lighthouse' && engine !== 'chromium') || !version || others.length > 0)
    throw new Error(`Name the engine and its version.\n\n${usage}`);
  const dirty = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' });
  if (dirty !== '') throw new Error(`The clone has changes. Commit or drop them first:\n${dirty}`);
  await (engine === 'lighthouse' ? updateLighthouse : updateChromium)(version, values.samples);
  run('npm', 'run', 'fix');
  if (values.suites) {
    if (engine === 'lighthouse') run('npm', 'run', 'record', '--', ...recordings);
    for (const suite of ['test', 'test:all']) run('npm', 'run', suite);
  }
  console.error('Review git diff, and commit it.');
};

await main()
  .catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  })
  .finally(endAll);
