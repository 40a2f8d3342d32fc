import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, startApi } from '../../support/api.ts';
import { extraFolder, installExtra } from '../../support/extra-packages.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('lighthouse-ci');
let api: Api;
let token: string;
let server: ChildProcess;
let serverUrl: string;
beforeAll(async () => {
  await installExtra('lighthouse-ci');
  api = await startApi({ AUTH: 'keys' });
  token = (await api.world.newKey({ scopes: ['checks:read', 'checks:write'] })).text;
  await mkdir(join(folder, '.lighthouseci'), { recursive: true });
  const script = join(import.meta.dirname, '../../support/lighthouse-ci-server.cjs');
  server = spawn(process.execPath, [script, extraFolder('lighthouse-ci'), join(folder, 'server.sqlite')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(server, 'exit').then(([code]) => Promise.reject(new Error(`its server ended with ${code}`)));
  const [port] = await Promise.race([once(server.stdout as NodeJS.ReadableStream, 'data'), ended]);
  serverUrl = `http://127.0.0.1:${`${port}`.trim()}`;
}, 600_000); // the first time, some 100 MB from the registry
afterAll(async () => {
  server?.kill();
  await api?.stop();
});

// biome-ignore lint/suspicious/noExplicitAny: answers of another program
type Any = any;
const recorded: Any = JSON.parse(
  gunzipSync(readFileSync(new URL('../../recorded/reports/12.8.2.json.gz', import.meta.url))).toString(),
);
const page = 'http://localhost:3123/shop';
const reportOf = (lcp: number): Any => {
  const lhr = structuredClone(recorded);
  for (const name of ['requestedUrl', 'mainDocumentUrl', 'finalUrl', 'finalDisplayedUrl']) lhr[name] = page;
  for (const id of ['first-contentful-paint', 'largest-contentful-paint', 'interactive', 'speed-index'])
    lhr.audits[id].numericValue = lcp;
  return lhr;
};

/** Runs the command of Lighthouse CI as a step of a workflow. Returns its code and what it has printed. */
const lhci = async (hash: string, ...args: string[]): Promise<{ code: number; output: string }> => {
  const context = { CURRENT_HASH: hash, CURRENT_BRANCH: 'main', COMMIT_TIME: '2026-11-27 10:00:00 +0000' };
  const more = { COMMIT_MESSAGE: 'A commit', AUTHOR: 'A <a@b.c>', AVATAR_URL: 'https://a/b', ANCESTOR_HASH: '' };
  const named = Object.entries({ ...context, ...more }).map(([name, value]) => [`LHCI_BUILD_CONTEXT__${name}`, value]);
  const service = { LHCI_SERVER_BASE_URL: api.url, LHCI_TOKEN: token };
  const env = { PATH: process.env.PATH, HOME: folder, ...service, ...Object.fromEntries(named) };
  const command = join(extraFolder('lighthouse-ci'), '@lhci/cli/src/cli.js');
  return await promisify(execFile)(process.execPath, [command, ...args], { cwd: folder, env }).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    ({ code, stdout, stderr }) => ({ code, output: `${stdout}${stderr}` }),
  );
};
const upload = async (hash: string, lcps: readonly number[], ...args: string[]) => {
  for (const [i, lcp] of lcps.entries())
    await writeFile(join(folder, `.lighthouseci/lhr-${i}.json`), JSON.stringify(reportOf(lcp)));
  return lhci(hash, 'upload', '--target=lhci', ...args);
};

const read = async (path: string): Promise<Any> =>
  (await fetch(`${api.url}${path}`, { headers: { authorization: `Bearer ${token}` } })).json();

test('the unmodified `lhci upload` makes checks that can be compared by their commits', async () => {
  const base = await upload('4f2a9c1', [900, 910, 920]);
  expect(base).toMatchObject({ code: 0, output: expect.stringContaining('Done saving build results') });
  expect((await upload('5b3e0d2', [1900, 1910, 1920])).code).toBe(0);
  const { checks } = await read('/v1/checks');
  expect(checks.map(({ url, source, state, samples }: Any) => ({ url, source, state, samples }))).toEqual(
    Array(2).fill({ url: 'http://localhost:3123/shop', source: 'uploaded', state: 'succeeded', samples: 3 }),
  );
  expect(checks[0].labels).toMatchObject({ branch: 'main', commit: '5b3e0d2' });
  const compared = await read(`/v1/checks/${checks[0].id}/comparison?base=label:commit=4f2a9c1`);
  expect(compared).toMatchObject({ comparable: true, metrics: { lcp: { verdict: 'regressed' } } });
  const { marks } = await read('/v1/marks?url=http://localhost:3123/shop');
  expect(marks).toMatchObject([{ text: 'commit 5b3e0d2', checkId: checks[0].id }]);
});

test('a second upload of a commit fails as at its own server, unless the workflow ignores that', async () => {
  const again = await upload('4f2a9c1', [900, 910, 920]);
  expect(again).toMatchObject({ code: 1, output: expect.stringContaining('Build already exists for hash') });
  expect((await upload('4f2a9c1', [900], '--ignoreDuplicateBuildFailure')).code).toBe(0);
});

test('`lhci healthcheck` accepts the service and the key', async () => {
  const checks = ['--checks=lhciServer', `--basicAuth.password=${token}`];
  const { output } = await lhci('6c4f1e3', 'healthcheck', ...checks);
  for (const line of ['server reachable', 'server API-compatible', 'server token valid', 'can accept a build'])
    expect(output).toContain(line);
});

test('the answers are those of its own server', async () => {
  const require = createRequire(import.meta.url);
  const ApiClient = require(join(extraFolder('lighthouse-ci'), '@lhci/utils/src/api-client.js'));
  const facts = { lifecycle: 'unsealed', hash: 'abc', branch: 'main', runAt: '2026-11-27T10:00:00.000Z' };
  const build = { ...facts, author: 'A', commitMessage: 'B', externalBuildUrl: 'https://c/d' };
  /** Returns a value without what differs from server to server: ids, times, names and the repeated result. */
  const shape = (value: Any): Any => {
    if (Array.isArray(value)) return value.map(shape);
    if (typeof value !== 'object' || value === null) return value;
    const own = ['id', 'projectId', 'buildId', 'createdAt', 'updatedAt', 'token', 'name', 'slug', 'baseBranch', 'lhr'];
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, each]) => each !== null && each !== undefined)
        .map(([name, each]): [string, unknown] => [name, own.includes(name) ? typeof each : each])
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  };
  const talk = async (rootURL: string, key: string) => {
    const client = new ApiClient({ rootURL, fetch });
    client.setBuildToken(key);
    const statusOf = (answer: Promise<unknown>) => answer.then(String, (error: Any) => error.status);
    const project = await client.findProjectByToken(key);
    const made = await client.createBuild({ ...build, projectId: project.id });
    const run = { projectId: project.id, buildId: made.id, representative: false, url: page };
    const answers = {
      version: await client.getVersion(),
      project,
      unknown: await client.findProjectByToken('00000000-0000-4000-8000-000000000000'),
      made,
      empty: await statusOf(client.sealBuild(project.id, made.id)),
      run: await client.createRun({ ...run, lhr: JSON.stringify(reportOf(900)) }),
      sealed: await client.sealBuild(project.id, made.id),
      again: await statusOf(client.createBuild({ ...build, projectId: project.id })), // before the seal, only this service begins again
      late: await statusOf(client.createRun({ ...run, lhr: JSON.stringify(reportOf(900)) })),
      found: await client.findBuildById(project.id, made.id),
      missing: await client.findBuildById(project.id, '00000000-0000-4000-8000-000000000000'),
      builds: await client.getBuilds(project.id, { branch: 'main', hash: 'abc' }),
    };
    return shape(Object.fromEntries(Object.entries(answers).map(([name, each]) => [name, shape(each)])));
  };
  const admin = new ApiClient({ rootURL: serverUrl, fetch });
  const project = await admin.createProject({ name: 'oracle', externalUrl: '' });
  expect(await talk(api.url, token)).toEqual(await talk(serverUrl, project.token));
});
