import { chmod, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { prepareChromium } from '../../functions/auditor/host/chromium.ts';
import { auditors } from '../../functions/auditor/parent/auditors.ts';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { chromiumDir } from '../support/chromium-dir.ts';
import { anOrder } from '../support/order.ts';
import { runInTurn } from './arms.ts';
import { newFolder, root } from './children.ts';
import { median, table } from './numbers.ts';
import type { PageName, Pages } from './pages.ts';
import { openDecoder } from './picture-difference.ts';
import { type Report, readingOf } from './reading.ts';
import { type ResizingPageName, resizingPages } from './resizing-pages.ts';

/** The same page audited with the shortened wait and with Lighthouse's own one. */
export type ScreenshotPair = {
  page: string;
  version: AuditVersion;
  load: number;
  /** Duration of the full-page screenshot with each wait, in milliseconds. */
  shortMs: number;
  ownMs: number;
  /** Share (0 to 1) of the pixels that differ. */
  difference: number;
  /** Failing audits that only one of them has. */
  faults: string[];
};

type Options = {
  pages: Pages;
  names: readonly (PageName | ResizingPageName)[];
  versions: readonly AuditVersion[];
  rounds: number;
  log: (line: string) => void;
};

/** Audits the known pages, and pages that change when they are resized, with both waits by turns. Compares their pictures. */
export const measureScreenshots = async ({
  pages,
  names,
  versions,
  rounds,
  log,
}: Options): Promise<ScreenshotPair[]> => {
  const arms = { short: openArm(undefined), own: openArm(await ownWaitFolder()) };
  const decoder = await openDecoder((await prepareChromium({ chromiumDir: chromiumDir() })).executable);
  const pairs: ScreenshotPair[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      for (const version of versions) {
        for (const page of names) {
          const load = loadavg()[0] ?? Number.NaN;
          const take = (arm: Arm) => () => arm.take(pages.url(page), version);
          const { short, own } = await runInTurn({ short: take(arms.short), own: take(arms.own) }, pairs.length);
          const pair = {
            page,
            version,
            load,
            shortMs: short.ms,
            ownMs: own.ms,
            difference: await decoder.differenceOf([short.picture, own.picture]),
            faults: [...without(short.faults, own.faults), ...without(own.faults, short.faults)],
          };
          pairs.push(pair);
          log(`screenshots ${round + 1}/${rounds}: ${rowOf(pair).join(', ')}`);
        }
      }
    }
  } finally {
    await Promise.all([arms.short.close(), arms.own.close(), decoder.close()]);
  }
  return pairs;
};

const without = (some: readonly string[], others: readonly string[]) => some.filter((each) => !others.includes(each));

type Arm = ReturnType<typeof openArm>;

/** Starts auditors, with the child process of a folder if there is one. */
const openArm = (auditorDir: string | undefined) => {
  const pool = auditors({ targets: { targets: 'local', ports: [] }, chromiumDir: chromiumDir(), auditorDir });
  return {
    take: async (url: string, auditVersion: AuditVersion) => {
      const result = await pool.audit(anOrder({ url, auditVersion }), new AbortController().signal);
      if (!result.report) throw new Error(`The audit of ${url} failed: ${JSON.stringify(result)}`);
      return screenshotOf(JSON.parse(gunzipSync(result.report.gzip).toString()) as ScreenshotReport);
    },
    close: pool.close,
  };
};

type Screenshot = { data: string };
type ScreenshotReport = Report & {
  fullPageScreenshot?: { screenshot: Screenshot };
  audits: { 'full-page-screenshot'?: { details?: { screenshot: Screenshot } } }; // in version 9
};

const screenshotOf = (report: ScreenshotReport) => {
  const details = report.fullPageScreenshot ?? report.audits['full-page-screenshot']?.details;
  const entry = report.timing.entries.find(({ name }) =>
    /^lh:gather:(getArtifact|afterPass):FullPageScreenshot$/.test(name),
  );
  if (!details || !entry) throw new Error('The report has no full-page screenshot.');
  return { picture: details.screenshot.data, ms: entry.duration, faults: readingOf(report).failing };
};

/** Creates a folder with a child process that leaves Lighthouse's own wait as it is. */
const ownWaitFolder = async (): Promise<string> => {
  const folder = newFolder();
  const childFolder = pathToFileURL(join(root, 'functions/auditor/child')).href;
  const source = `export const watchRequests = () => ({});
    export const watchQuiet = () => ({ untilQuiet: async () => false, end: () => {} });`;
  await writeFile(
    join(folder, 'child.mjs'),
    `import { registerHooks } from 'node:module';
    registerHooks({ load: (url, context, next) => url === ${JSON.stringify(`${childFolder}/quiet-page.ts`)}
      ? { format: 'module', source: ${JSON.stringify(source)}, shortCircuit: true } : next(url, context) });
    await import(${JSON.stringify(`${childFolder}/child.ts`)});`,
  );
  await chmod(folder, 0o755); // the auditor may run as another user
  return folder;
};

const TARGET = 0.005;

export const screenshotTable = (pairs: readonly ScreenshotPair[]): string => {
  const still = pairs.filter(({ page }) => !isMoving(page));
  const close = still.filter(({ difference }) => difference < TARGET);
  const same = still.filter(({ difference }) => difference === 0);
  const loads = pairs.map(({ load }) => load);
  return [
    `Audits with the shortened wait and with Lighthouse's own one, by turns. Load of the machine: ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}.`,
    `Pictures: ${same.length} of ${still.length} pairs are the same, and ${close.length} differ in less than ${100 * TARGET} % of the pixels. Pages that move are not counted (*).`,
    table(['version, page', 'shortened', 'own', 'ratio', 'pixels that differ', 'other faults'], pairs.map(rowOf)),
    `Median ratio: ${median(pairs.map(({ shortMs, ownMs }) => shortMs / ownMs)).toFixed(2)}.`,
  ].join('\n\n');
};

const isMoving = (page: string): boolean => 'isMoving' in (resizingPages[page as ResizingPageName] ?? {});

const rowOf = ({ page, version, shortMs, ownMs, difference, faults }: ScreenshotPair): string[] => [
  `${version}, ${page}${isMoving(page) ? ' *' : ''}`,
  `${Math.round(shortMs)} ms`,
  `${Math.round(ownMs)} ms`,
  (shortMs / ownMs).toFixed(2),
  `${(100 * difference).toFixed(2)} %`,
  faults.join(', ') || 'none',
];
