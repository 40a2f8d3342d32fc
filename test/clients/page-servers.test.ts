import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { servePages } from '../../clients/cli/many/page-servers.ts';
import { commandContext } from '../support/command-context.ts';
import { compileCache } from '../support/compile-cache.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const dist = temporaryFolder('dist');
const write = (name: string, text = name) => {
  mkdirSync(join(dist, name, '..'), { recursive: true });
  writeFileSync(join(dist, name), text);
};
for (const name of ['index.html', 'about.html', 'blog/index.html', 'a/b/deep.html', 'a/b/c/deeper.html', '.env'])
  write(name);
write('node_modules/x/readme.html');
write('main.js', 'x'.repeat(2000));

const serve = (collect: Parameters<typeof servePages>[0], urls: string[] = [], serviceUrl?: string) => {
  const { context, shown } = commandContext(serviceUrl);
  return { shown, served: servePages(collect, urls, context, () => {}) };
};
const paths = (urls: readonly string[]) => urls.map((url) => new URL(url).pathname);

test('staticDistDir is served on loopback, with the pages that Lighthouse CI finds', async () => {
  const { served, shown } = serve({ staticDistDir: dist, autodiscoverUrlBlocklist: ['/about.html'] });
  await using pages = await served;
  expect(paths(pages.urls)).toEqual(['/index.html', '/a/b/deep.html', '/blog/index.html']);
  expect(shown.stderr).toMatch(/ is served on http:\/\/localhost:\d+\/ while the command runs\.$/m);
  const answers = ['/', '/app/about.html', '/blog', '/.env', '/%2e%2e/x', '/..%2fx', '/none'].map(async (path) => {
    const response = await fetch(new URL(path, pages.urls[0]));
    return [response.status, response.headers.get('content-type'), (await response.text()).slice(0, 20)];
  });
  const html = 'text/html; charset=utf-8';
  expect(await Promise.all(answers)).toEqual([
    [200, html, 'index.html'],
    [200, html, 'about.html'],
    [200, html, 'blog/index.html'],
    [404, 'text/plain', 'The folder has no /.'],
    [404, 'text/plain', 'The folder has no /x'],
    [404, 'text/plain', 'The folder has no /.'],
    [404, 'text/plain', 'The folder has no /n'],
  ]);
  const { hostname, port } = new URL(pages.urls[0] as string);
  const statusOf = async (path: string) => (await once(get({ hostname, port, path }), 'response'))[0].statusCode; // fetch would change the path
  expect([await statusOf('//'), await statusOf(`/${'x'.repeat(300)}`), await statusOf('/')]).toEqual([200, 500, 200]);
  const script = await fetch(new URL('/main.js', pages.urls[0]));
  expect([script.headers.get('content-encoding'), (await script.text()).length]).toEqual(['gzip', 2000]);
});

test('the server of a folder ends with the command, and a single page application has one page', async () => {
  const { served, shown } = serve(
    { staticDistDir: dist, isSinglePageApplication: true },
    ['/shop/1', 'http://localhost/about.html', 'https://example.com/'],
    'https://audits.example/',
  );
  const pages = await served;
  const [page = ''] = pages.urls;
  expect(await (await fetch(page)).text()).toBe('index.html');
  expect(pages.urls).toEqual([page, new URL('/about.html', page).href, 'https://example.com/']);
  expect(shown.stderr).toContain('The service at https://audits.example/ may not reach this machine.');
  await pages[Symbol.asyncDispose]();
  await expect(fetch(page)).rejects.toThrow();
});

test('a folder that does not exist, and one without pages, are refused', async () => {
  await expect(serve({ staticDistDir: join(dist, 'none') }).served).rejects.toThrow(/staticDistDir is no folder/);
  mkdirSync(join(dist, 'empty'));
  await expect(serve({ staticDistDir: join(dist, 'empty') }).served).rejects.toThrow(/has no HTML file/);
});

const node = `"${process.execPath}"`;
/** A shell starts the server, which writes its port to a file. */
const serverCommand = (port: string) => `${node} -e "
  const server = require('http').createServer((q, r) => r.end('mine'));
  server.listen(0, '127.0.0.1', () => {
    require('fs').writeFileSync('${port}', String(server.address().port));
    console.log('Ready on a port');
  })"; true`;
const urls = ['http://localhost:3000/'];

test('a server and a script of the user get the variables of the user and none of the command', async () => {
  const files = { server: join(dist, 'server.env'), script: join(dist, 'script.env') };
  const startServerCommand = `env > ${files.server}; echo ready; sleep 60`;
  const rc = join(dist, 'lighthouserc.cjs');
  writeFileSync(
    rc,
    `require('fs').writeFileSync(${JSON.stringify(files.script)}, Object.entries(process.env).map((pair) => pair.join('=') + '\\n').join(''));
    module.exports = { ci: { assert: { assertions: { viewport: 'warn' } }, collect: ${JSON.stringify({ url: urls, startServerCommand })} } };`,
  );
  const { PATH } = process.env;
  const env = {
    ...compileCache,
    PATH,
    MINE: 'mine',
    PAGE_AUDIT_URL: 'http://127.0.0.1:9/',
    PAGE_AUDIT_KEY: 'key',
    PAGE_AUDIT_BASIC_AUTH: 'a:b',
  };
  const run = promisify(execFile)(process.execPath, ['clients/cli/main.ts', 'run', '--assert', rc], { env });
  await expect(run).rejects.toMatchObject({ code: 4, stderr: expect.stringContaining('http://127.0.0.1:9') });
  for (const file of Object.values(files)) {
    const variables = readFileSync(file, 'utf8');
    expect(variables).toContain('MINE=mine\n');
    expect(variables).not.toContain('PAGE_AUDIT_');
  }
});

test('startServerCommand runs until the command ends, with the processes that it started', async () => {
  const port = join(dist, 'port');
  const startServerCommand = serverCommand(port);
  const { served, shown } = serve({ startServerCommand, startServerReadyPattern: 'ready on' }, urls);
  const pages = await served;
  const url = `http://127.0.0.1:${readFileSync(port, 'utf8')}/`;
  expect([pages.urls, await (await fetch(url)).text()]).toEqual([urls, 'mine']);
  expect(shown.stderr).toContain('runs until the command ends');
  await pages[Symbol.asyncDispose]();
  await expect(fetch(url)).rejects.toThrow();
});

test('a server that ends is refused with its output, and one that prints no pattern is used anyway', async () => {
  const startServerCommand = `echo no port is free; exit 3`;
  await expect(serve({ startServerCommand }, urls).served).rejects.toThrow(
    /ended with exit code 3: echo no port is free; exit 3\. Its output was:\nno port is free$/,
  );
  const { served, shown } = serve({ startServerCommand: 'sleep 60', startServerReadyTimeout: 20 }, urls);
  await using pages = await served;
  expect([pages.urls, shown.stderr]).toEqual([
    urls,
    expect.stringMatching(
      /^The server printed nothing that matches \/listen\|ready\/i within 20 ms\. The audits start now\./,
    ),
  ]);
});
