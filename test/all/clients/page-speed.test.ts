import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { extraFolder, installExtra } from '../../support/extra-packages.ts';
import { servePages } from '../../support/pages.ts';
import { startLocally } from '../../support/service.ts';
import { startStrippingProxy } from '../../support/stripping-proxy.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const data = temporaryFolder('data');
const folder = temporaryFolder('clients');
let service: Awaited<ReturnType<typeof startLocally>>;
let site: Awaited<ReturnType<typeof serveAwaited>>;
beforeAll(async () => {
  await Promise.all([installExtra('lighthouse-ci'), installExtra('page-speed')]);
  service = await startLocally(data);
  site = await serveAwaited(3);
}, 600_000); // the first time, some 40 MB from the registry
afterAll(async () => {
  await service?.stop();
  await site?.stop();
});

/**
 * Serves a page, and forwards requests to the service. The page comes only after this many requests for its audit, so that
 * no client is too late to share the audit.
 */
const serveAwaited = async (clients: number) => {
  const all = Promise.withResolvers<void>();
  let asked = 0;
  const pages = await servePages();
  const page = await startStrippingProxy(pages.url(''), '', () => all.promise);
  const url = `${page.origin}/perfect`;
  const api = await startStrippingProxy(service.url, '', (path) => {
    if (new URL(path, service.url).searchParams.get('url') === url) asked += 1;
    if (asked === clients) all.resolve();
  });
  const stop = () => Promise.all([page.close(), api.close(), pages.close()]);
  return { page: url, api: api.origin, stop };
};

/** Runs a program, and returns its exit code and its output. */
const run = async (...args: string[]) => {
  const { PATH, HOME } = process.env;
  const running = promisify(execFile)(process.execPath, args, { cwd: folder, env: { PATH, HOME, NO_COLOR: '1' } });
  return running.then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, output: stdout + stderr }),
  );
};

/** Runs a program of CommonJS that uses the packages. `url` is the service, and `page` the page. */
const runWith = async (name: string, program: string) => {
  const file = join(folder, name);
  const inputs = { strategy: 'mobile', category: ['performance', 'accessibility', 'best-practices', 'seo'] };
  await writeFile(
    file,
    `const require = process.getBuiltinModule('module').createRequire(${JSON.stringify(`${extraFolder('page-speed')}/`)});
    const [url, page] = ${JSON.stringify([site.api, site.page])};
    const inputs = ${JSON.stringify({ ...inputs, locale: 'en_US', key: 'any' })};
    const print = (value) => console.log(JSON.stringify(value));
    ${program}`,
  );
  return run(file);
};

const lhci = (...args: string[]) => run(join(extraFolder('lighthouse-ci'), '@lhci/cli/src/cli.js'), ...args);

const collect = () => {
  const endpoint = `${site.api}/pagespeedonline/v5/runPagespeed`;
  const options = ['--method=psi', '--psiApiKey=any', `--psiApiEndpoint=${endpoint}`, '--numberOfRuns=1'];
  return lhci('collect', ...options, `--url=${site.page}`);
};

const googleClient = `
  const { pagespeedonline } = require('@googleapis/pagespeedonline');
  const { pagespeedapi } = pagespeedonline({ version: 'v5', rootUrl: url });
  const refusal = await pagespeedapi.runpagespeed({ url: 'nonsense', ...inputs }).catch(({ status, message }) => ({ status, message }));
  const { data } = await pagespeedapi.runpagespeed({ url: page, ...inputs });
  print({ refusal, id: data.id, score: data.lighthouseResult.categories.performance.score });`;

/** Sets the address of the client on which the package is built. Its own code stays as it is. */
const psi = `
  const { createRequire } = process.getBuiltinModule('module');
  const { google } = createRequire(require.resolve('psi'))('googleapis');
  const { pagespeedapi } = google.pagespeedonline('v5');
  const runpagespeed = (params, callback) => pagespeedapi.runpagespeed(params, { rootUrl: url }, callback);
  google.pagespeedonline = () => ({ pagespeedapi: { runpagespeed } });
  await require('psi').output(page, inputs);`;

test('lhci, the client of Google and psi work unmodified, and share the audit of a page that they request at once', async () => {
  const [collected, ofGoogle, ofPsi] = await Promise.all([
    collect(),
    runWith('google.mjs', googleClient),
    runWith('psi.mjs', psi),
  ]);
  const { checks } = (await (await fetch(`${service.url}/v1/checks`)).json()) as { checks: { labels: object }[] };
  expect(checks.map(({ labels }) => labels)).toEqual([{ client: 'psi' }]);

  expect(collected, collected.output).toMatchObject({ code: 0 });
  const files = ['seo', 'best-practices', 'accessibility', 'performance'];
  const config = (minScore: number) => ({
    ci: {
      assert: { assertions: Object.fromEntries(files.map((name) => [`categories:${name}`, ['error', { minScore }]])) },
    },
  });
  await writeFile(join(folder, 'lighthouserc.json'), JSON.stringify(config(0.5)));
  const passed = await lhci('assert');
  expect(passed, passed.output).toMatchObject({ code: 0, output: expect.stringContaining('1 total run(s)') });
  await writeFile(join(folder, 'lighthouserc.json'), JSON.stringify(config(1.01)));
  expect(await lhci('assert')).toMatchObject({ code: 1, output: expect.stringMatching(/expected: >=.*1\.01/) });

  expect(JSON.parse(ofGoogle.output)).toEqual({
    refusal: { status: 400, message: expect.stringContaining('The URL must start with http://') },
    id: site.page,
    score: expect.any(Number),
  });
  expect(ofPsi, ofPsi.output).toMatchObject({ code: 0 });
  expect(ofPsi.output).toMatch(/Strategy: +mobile\nPerformance: +\d+/);
  expect(ofPsi.output).toMatch(/Largest Contentful Paint +\| [\d.]+s/);
});
