import { execFileSync, spawn } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import { launchBrowser } from '../../functions/auditor/child/browser.ts';
import { openEgressProxy } from '../../functions/auditor/egress/proxy.ts';
import { prepareChromium } from '../../functions/auditor/host/chromium.ts';
import type { Decision } from '../../functions/auditor/messages.ts';
import { auditors } from '../../functions/auditor/parent/auditors.ts';
import type { AuditResult } from '../../functions/auditor/verdict/judge.ts';
import type { Targets } from '../../functions/lib/targets/public-addresses.ts';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import type { Category } from '../../shared/options/audit-options.ts';
import { DEFAULT_PORTS } from '../../shared/service/env.ts';
import { entriesOf } from './allowed-elsewhere.ts';
import { withFewerFlags } from './fewer-flags.ts';
import { anOrder } from './order.ts';
import { fetchThroughProxy, type Response } from './socks-client.ts';

/** An order of a test. `answers` are responses by URL, which precede the files of test/pages/exits. */
export type Task = { targets: Targets; url: string; answers?: Record<string, Answer> } & (
  | { do: 'audit'; version: AuditVersion; categories?: Category[]; until?: string } // `until`: ends at a request that ends with this text
  // A visit with the audit's browser and proxy, without the flags that start with `without`. Ends at the packet `until`.
  | { do: 'browse'; without?: string[]; until?: string }
  | { do: 'follow' } // the audit's proxy alone: a SOCKS client follows the redirects of a page
);
export type Answer = { status?: number; headers?: Record<string, string>; body?: string };

/** Everything that happened during an order. */
export type Observed = {
  /** Attempted connections and UDP packets ("tcp 192.0.2.1 80"), except those to the audit's own ports on loopback. */
  packets: string[];
  /** HTTP requests, as "address host path". A host has its port, unless it is the scheme's default. */
  requests: string[];
  /** Names that the name server received. */
  names: string[];
  /** Texts that the page sent by POST to /report. */
  messages: string[];
  verdict?: AuditResult | { error: string };
  decisions?: readonly Decision[];
};
const MAX_REDIRECTS = 5;

/*
 * Runs inside the namespace (see namespace.sh): servers on every address, a name server, and a recorder of all packets.
 * Executes one order after the other.
 */
const { CHROMIUM, ...variables } = process.env;
const { FOLDER, RESOLVER, PUBLIC, CHROMIUM_DIR, AUDITOR_DIR, ENGINE_PORT } = variables as Record<string, string>;
if (!FOLDER || !RESOLVER || !PUBLIC || !CHROMIUM_DIR) throw new Error('Set FOLDER, RESOLVER, PUBLIC and CHROMIUM_DIR.');
const interfaces = [...readFileSync('/proc/net/dev', 'utf8').matchAll(/^\s*(\S+):/gm)].map((match) => match[1]);
if (interfaces.sort().join() !== 'away,back,lo')
  throw new Error(`This network is not an isolated one. It has the interfaces ${interfaces.join()}.`);

const PLAIN_PORTS = [80, 8080, 3000, 3478, 5432, 6379, 9001, 9222];
const TLS_PORTS = [443, 8443];

let observed: Observed;
let answers: Record<string, Answer>;
let ownPorts: Set<number>;
let lookedUpBefore: Set<string>;
const forget = () => {
  observed = { packets: [], requests: [], names: [], messages: [] };
  answers = {};
  ownPorts = new Set();
  lookedUpBefore = new Set();
};
forget();

// Packets.
const recorder = spawn('perl', [join(import.meta.dirname, 'packets.pl')], { stdio: ['ignore', 'pipe', 'inherit'] });
recorder.once('exit', () => process.exit(1)); // without a recorder the tests would prove nothing
const lines = createInterface(recorder.stdout);
await once(lines, 'line');
lines.on('line', (line) => observed.packets.push(line));

// Names: a name is public unless its first label has another meaning.
const addressesOf = (name: string): string[] => {
  switch (name.split('.')[0]) {
    case 'rebind': // public in the first answer, then loopback
      return [isSecondLookup(name) ? '127.0.0.1' : PUBLIC];
    case 'rebound': // loopback in the first answer, then public
      return [isSecondLookup(name) ? PUBLIC : '127.0.0.1'];
    case 'mixed':
      return [PUBLIC, '10.0.0.1'];
    case 'imds':
      return ['169.254.169.254'];
    default:
      return /(^|\.)example\.(com|net|org)$/.test(name) ? [PUBLIC] : ['10.9.9.9'];
  }
};
const isSecondLookup = (name: string) => lookedUpBefore.has(name) || !lookedUpBefore.add(name);
const dns = createSocket('udp4', (query, from) => {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  const name = labels.join('.').toLowerCase();
  const isA = query.readUInt16BE(at + 1) === 1;
  observed.names.push(name);
  if (labels.includes('silent')) return;
  const records = (isA ? addressesOf(name) : []).map((address) =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  );
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(records.length, 6);
  head.fill(0, 8);
  dns.send(Buffer.concat([head, query.subarray(12, at + 5), ...records]), from.port, from.address);
});
dns.bind(53, RESOLVER);
await once(dns, 'listening');

// Certificates: one that the browser trusts, and one that names an issuer at a private address.
const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: FOLDER, stdio: 'pipe' });
const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30'];
const forNames = [
  '-addext',
  'subjectAltName=DNS:*.example.com,DNS:*.example.net,DNS:*.example.org,IP:10.0.0.1,IP:127.0.0.1',
];
const aia = 'authorityInfoAccess=caIssuers;URI:http://10.0.0.1/x/aia,OCSP;URI:http://10.0.0.1/x/ocsp';
openssl('req', '-x509', ...key, '-subj', '/CN=site', ...forNames, '-keyout', 'site.key', '-out', 'site.crt');
openssl('req', '-x509', ...key, '-subj', '/CN=authority', '-keyout', 'ca.key', '-out', 'ca.crt');
const issued = ['-CA', 'ca.crt', '-CAkey', 'ca.key', ...forNames, '-addext', aia];
openssl('req', '-x509', ...key, '-subj', '/CN=issued', ...issued, '-keyout', 'issued.key', '-out', 'issued.crt');
const pair = (name: string) => ({
  key: readFileSync(join(FOLDER, `${name}.key`)),
  cert: readFileSync(join(FOLDER, `${name}.crt`)),
});
const site = pair('site');
const trusted = createHash('sha256')
  .update(new X509Certificate(site.cert).publicKey.export({ type: 'spki', format: 'der' }))
  .digest('base64');

// Servers, on every address.
const pages = new URL('../pages/exits/', import.meta.url);
const types: Record<string, string> = { html: 'text/html', js: 'text/javascript', css: 'text/css' };
const serve = (request: IncomingMessage, response: ServerResponse) => {
  const scheme = 'encrypted' in request.socket ? 'https' : 'http';
  const url = new URL(request.url ?? '/', `${scheme}://${request.headers.host ?? 'unnamed.invalid'}`);
  const address = request.socket.localAddress?.replace('::ffff:', '');
  response.setHeader('access-control-allow-origin', request.headers.origin ?? '*');
  response.setHeader('access-control-allow-credentials', 'true');
  response.setHeader('access-control-allow-headers', '*');
  response.setHeader('access-control-allow-private-network', 'true');
  response.setHeader('cache-control', 'no-store');
  if (url.pathname === '/report') {
    request.setEncoding('utf8').on('data', (text) => observed.messages.push(text));
    request.on('end', () => response.end());
    return;
  }
  request.resume();
  if (url.pathname === '/own-ports') return response.end(JSON.stringify([...ownPorts]));
  observed.requests.push(`${address} ${url.host} ${url.pathname}`);
  const answer = answers[url.href];
  if (answer) return response.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
  const to = url.searchParams.get('to');
  if (to) return response.writeHead(Number(url.searchParams.get('status') ?? 302), { location: to }).end();
  const { csp, link, refresh, map } = Object.fromEntries(url.searchParams);
  if (csp) {
    response.setHeader('reporting-endpoints', `csp="${csp}"`);
    response.setHeader('content-security-policy', `img-src 'none'; report-uri ${csp}`);
    return response
      .setHeader('content-type', 'text/html')
      .end('<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">');
  }
  if (link) response.setHeader('link', `<${link}>; rel=preload; as=image, <${link}>; rel=preconnect`);
  if (refresh) response.setHeader('refresh', `0;url=${refresh}`);
  if (map) return response.setHeader('content-type', 'text/javascript').end(`1;\n//# sourceMappingURL=${map}`);
  if (link || refresh) return response.setHeader('content-type', 'text/html').end('<p>framed</p>');
  const file = new URL(`.${url.pathname === '/' ? '/index.html' : url.pathname}`, pages);
  const type = url.searchParams.get('type') ?? types[file.pathname.split('.').at(-1) ?? ''] ?? 'text/plain';
  response.setHeader('content-type', type);
  response.end(existsSync(file) ? readFileSync(file) : url.searchParams.get('body'));
};
const onUpgrade = (request: IncomingMessage, socket: Socket) => {
  const host = request.headers.host ?? '';
  observed.requests.push(`${socket.localAddress?.replace('::ffff:', '')} ${host} ${request.url}`);
  const accept = createHash('sha1').update(
    `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`,
  );
  socket.on('error', () => {});
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept.digest('base64')}\r\n\r\n`,
  );
};
for (const port of [...PLAIN_PORTS, ...TLS_PORTS]) {
  const options = {
    ...site,
    SNICallback: (name: string, done: (error: Error | null, context: ReturnType<typeof createSecureContext>) => void) =>
      done(null, createSecureContext(pair(name.startsWith('issued.') ? 'issued' : 'site'))),
  };
  const server = TLS_PORTS.includes(port) ? createTlsServer(options, serve) : createServer(serve);
  server.on('upgrade', onUpgrade).on('clientError', (_, socket) => socket.destroy());
  await once(server.listen(port, '::'), 'listening');
}

// The browser trusts one more certificate, and may lack a flag.
const packaged = await prepareChromium({ chromiumDir: CHROMIUM_DIR });
const real = CHROMIUM ? await prepareChromium({ chromiumDir: CHROMIUM_DIR, chromium: CHROMIUM }) : packaged;
const realHome = join(packaged.executable, '..');
const home = join(FOLDER, realHome.split('/').at(-1) as string);
mkdirSync(home);
for (const name of readdirSync(realHome)) if (name !== 'chromium') symlinkSync(join(realHome, name), join(home, name));
const executable = join(home, 'chromium');
const script = withFewerFlags(real.executable, '$WITHOUT', `--ignore-certificate-errors-spki-list=${trusted}`);
writeFileSync(executable, script, { mode: 0o755 });

/** Hosts that the operator allows. They open nothing to the page of a public host. */
const allowed = entriesOf('*.test,10.0.0.0/8,192.168.0.0/16,fd00::/8,metadata.google.internal');
const policyOf = (targets: Targets) => ({
  targets,
  ports: DEFAULT_PORTS,
  ownPorts: [Number(ENGINE_PORT)],
  allowed: targets === 'public' ? allowed : [],
});
const labs = new Map<Targets, ReturnType<typeof auditors>>();
const labOf = (targets: Targets) => {
  const lab =
    labs.get(targets) ?? auditors({ targets: policyOf(targets), chromiumDir: FOLDER, auditorDir: AUDITOR_DIR });
  labs.set(targets, lab);
  return lab;
};

/** Records the ports of the audit on 127.0.0.1: its proxy, and the browser's debugging port. */
const watchOwnPorts = () => {
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1)) {
    const [, local = '', , state] = line.trim().split(/\s+/);
    const [address, port = ''] = local.split(':');
    if (state === '0A' && address === '0100007F') ownPorts.add(Number.parseInt(port, 16));
  }
};

const events = () => observed.packets.length + observed.requests.length + observed.messages.length;
const QUIET_MS = 2500;
const LONGEST_MS = 60_000;

/** Waits for the wanted packet or name. Without one, waits until the page has tried all ways and nothing happens any more. */
const untilSettled = async ({ until, answers: given = {} }: Extract<Task, { do: 'browse' }>): Promise<void> => {
  const isTrying = () =>
    Object.keys(given).some((url) => url.endsWith('/tries.json')) && !observed.messages.includes('done');
  let [before, quietMs] = [0, 0];
  const isOver = () =>
    until === undefined ? !isTrying() && quietMs >= QUIET_MS : [...observed.packets, ...observed.names].includes(until);
  for (let ms = 0; ms < LONGEST_MS && !isOver(); ms += 100) {
    quietMs = events() > before ? 0 : quietMs + 100;
    before = events();
    await sleep(100);
  }
};

const browse = async (task: Extract<Task, { do: 'browse' }>): Promise<Pick<Observed, 'decisions'>> => {
  const proxy = await openEgressProxy({ ...policyOf(task.targets), url: task.url });
  const workDir = join(FOLDER, `browse-${crypto.randomUUID()}`);
  const env = { ...real.env, HOME: workDir, TMPDIR: FOLDER, WITHOUT: task.without?.join(' ') ?? '' };
  const { browser, page } = await launchBrowser({
    executable,
    proxyPort: proxy.port,
    workDir,
    env,
    sandbox: 'none',
  });
  await page.goto(task.url, { timeout: 5000 }).catch(() => {});
  await untilSettled(task);
  await browser.close();
  const { decisions } = proxy;
  await proxy.close();
  return { decisions };
};

/** Follows redirects through the proxy until a page leads nowhere else or the proxy refuses. */
const follow = async (task: Extract<Task, { do: 'follow' }>): Promise<Pick<Observed, 'decisions'>> => {
  const proxy = await openEgressProxy({ ...policyOf(task.targets), url: task.url });
  ownPorts.add(proxy.port); // it may close before `watchOwnPorts` looks again
  let url: URL | undefined = new URL(task.url);
  for (let hops = 0; url && hops <= MAX_REDIRECTS; hops++) {
    const response: Response | undefined = await fetchThroughProxy(url, proxy.port).catch(() => undefined);
    url = response && nextOf(url, response);
  }
  const { decisions } = proxy;
  await proxy.close();
  return { decisions };
};

/** Returns where a response redirects to: by its status, a meta refresh or a script. */
const nextOf = (url: URL, { location, body }: Response): URL | undefined => {
  const script = /location\.href = (".*?")/.exec(body)?.[1];
  const to = location ?? /content="0;url=(.*?)"/.exec(body)?.[1] ?? (script && JSON.parse(script));
  return to && new URL(to, url);
};

const audit = async (task: Extract<Task, { do: 'audit' }>): Promise<Pick<Observed, 'verdict'>> => {
  const { targets, url, version, categories, until } = task;
  const enough = new AbortController();
  const watch = setInterval(() => {
    if (until && observed.requests.some((request) => request.endsWith(until))) enough.abort();
  }, 20);
  const order = anOrder({ url, auditVersion: version, categories });
  try {
    return { verdict: await labOf(targets).audit(order, enough.signal) };
  } catch (error) {
    if (enough.signal.aborted) return {};
    return { verdict: { error: String((error as Error).stack ?? error) } };
  } finally {
    clearInterval(watch);
  }
};

const perform: Record<Task['do'], (task: never) => Promise<Partial<Observed>>> = { audit, browse, follow };
const observe = async (task: Task): Promise<Observed> => {
  forget();
  answers = task.answers ?? {};
  const watch = setInterval(watchOwnPorts, 20);
  const outcome = await perform[task.do](task as never);
  await sleep(200); // the recorder prints the last packets
  clearInterval(watch);
  const packets = observed.packets.filter(
    (packet) => ![...ownPorts].some((port) => packet === `tcp 127.0.0.1 ${port}`),
  );
  return { ...observed, packets, ...outcome };
};

let last: Promise<unknown> = Promise.resolve();
process.on('message', ({ id, task }: { id: number; task: Task }) => {
  last = last.then(async () => process.send?.({ id, observed: await observe(task) }));
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
