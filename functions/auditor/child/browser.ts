import { spawn } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_FLAGS } from 'chrome-launcher/dist/flags.js';
import puppeteer, { type Browser, type ConnectionTransport, type Page } from 'puppeteer-core';
import { allPids, killProcess, readText, statFieldsOf } from '../host/processes.ts';
import { startText, WITHOUT_SANDBOX } from '../host/sandbox.ts';
import type { LaunchSettings } from '../messages.ts';
import { NO_BROWSER } from '../stop-rules.ts';
import { elapsed } from './own-time.ts';
import { askPage, inTime } from './page-probe.ts';

export type Launch = LaunchSettings & { workDir: string };
export type Launched = Awaited<ReturnType<typeof launchBrowser>>;

/** Most characters of the messages of a browser that are kept. */
const MAX_STDERR = 2000;
/** Time that the pages of a closing browser have, in milliseconds. A page that hangs may not close. */
const PAGE_CLOSE_MS = 300;

/**
 * Starts multi-process Chromium, which reaches the network only through the egress proxy. Chromium exits when its pipe
 * closes. It stays in the caller's process group, so a kill of the group ends it. Puppeteer's launch would start a new group.
 * Chromium's sandbox needs a user other than root and a kernel that allows namespaces to that user.
 */
export const launchBrowser = async ({ sandbox, ...launch }: Launch) => {
  const stderr = { text: '' };
  const sandboxed = sandbox !== 'none' && process.getuid?.() !== 0 && (await startChromium(launch, [], stderr));
  if (sandboxed) return { ...sandboxed, sandbox: true };
  const unsandboxed = sandbox !== 'required' && (await startChromium(launch, WITHOUT_SANDBOX, stderr));
  if (!unsandboxed) throw Object.assign(new Error(startText(stderr.text)), { code: NO_BROWSER });
  return { ...unsandboxed, sandbox: false };
};

/** Returns true if a browser that has waited for its audit still has a page that runs scripts. */
export const isUsable = async ({ page }: Launched): Promise<boolean> => {
  const session = page.createCDPSession();
  const isUsed = await inTime(session.then(askPage).then(() => true));
  if (isUsed) await (await session).detach();
  return isUsed;
};

/** Returns undefined if Chromium exits by itself, as it does when its sandbox is not available. Throws if it is killed. */
const startChromium = async (
  { executable, proxyPort, workDir, env, debuggingPort, trustStore }: Omit<Launch, 'sandbox'>,
  flags: readonly string[],
  stderr: { text: string },
) => {
  const profile = join(workDir, 'profile'); // the parent removes it with the work folder
  await mkdir(profile, { recursive: true });
  if (trustStore) await cp(trustStore, join(env.HOME ?? workDir, '.pki', 'nssdb'), { recursive: true }); // Chromium writes to it
  const args = [
    ...DEFAULT_FLAGS, // Lighthouse's flags. Puppeteer's would hide scrollbars and add a second document to the trace
    '--headless',
    `--user-data-dir=${profile}`,
    '--remote-debugging-pipe',
    ...(debuggingPort ? [`--remote-debugging-port=${debuggingPort}`] : []),
    '--disable-dev-shm-usage',
    ...flags,
    ...egressFlags(proxyPort),
    'about:blank',
  ];
  const chromium = spawn(executable, args, {
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  chromium.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr.text = `${stderr.text}${text}`.slice(-MAX_STDERR);
  });
  const exited = new Promise<'killed' | 'by itself'>((resolve) => {
    chromium.once('exit', (_, signal) => resolve(signal === 'SIGKILL' ? 'killed' : 'by itself'));
    chromium.once('error', () => resolve('by itself')); // the executable did not start
  });
  const transport = pipeTransport(chromium.stdio[3] as Writable, chromium.stdio[4] as Readable);
  exited.then(() => transport.onclose?.());
  try {
    const browser: Browser = await puppeteer.connect({ transport, defaultViewport: null });
    const session = await browser.target().createCDPSession();
    await session.send('Browser.setDownloadBehavior', { behavior: 'deny' }); // Chromium denies other permissions by default
    const target = await browser.waitForTarget((each) => each.type() === 'page');
    const closeOnce = async (): Promise<void> => {
      if (!browser.connected) return; // it has exited
      const pagesClosed = browser.pages().then((pages) => Promise.all(pages.map((each) => each.close())));
      await Promise.race([pagesClosed.catch(() => {}), sleep(PAGE_CLOSE_MS)]);
      const closed = browser.close();
      killGpuProcess(chromium.pid as number);
      await closed;
      await exited; // this process then reaps the browser
    };
    let closing: Promise<void> | undefined;
    const close = () => {
      closing ??= closeOnce();
      return closing;
    };
    return { browser, page: (await target.page()) as Page, close, profile };
  } catch (error) {
    if ((await Promise.race([exited, elapsed(1000)])) === 'by itself') return undefined; // the pipe may close before the exit
    throw error;
  }
};

/**
 * Kills the GPU process of a browser that is closing. Chromium reaps its other processes when it closes, and this one only
 * if it is dead by then. On Lambda no other process reaps it.
 */
const killGpuProcess = (browser: number): void => {
  for (const pid of allPids()) {
    const isChild = Number(statFieldsOf(pid)[1]) === browser;
    if (isChild && readText(`/proc/${pid}/cmdline`)?.includes('--type=gpu-process')) killProcess(pid);
  }
};

/** Transport over Chromium's debugging pipe, in which each message ends with a NUL. */
const pipeTransport = (write: Writable, read: Readable): ConnectionTransport => {
  const transport: ConnectionTransport = {
    send: (message) => void write.write(`${message}\0`),
    close: () => write.end(),
  };
  let partial: Buffer[] = [];
  read.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
      transport.onmessage?.(Buffer.concat([...partial, chunk.subarray(start, end)]).toString());
      partial = [];
      start = end + 1;
    }
    if (start < chunk.length) partial.push(chunk.subarray(start));
  });
  read.once('close', () => transport.onclose?.());
  for (const pipe of [write, read]) pipe.on('error', () => {}); // `close` follows
  return transport;
};

/** Flags that keep Chromium's traffic in the egress proxy. Each flag blocks a way that the others leave open. */
export const egressFlags = (proxyPort: number): string[] => [
  `--proxy-server=socks5://127.0.0.1:${proxyPort}`,
  '--proxy-bypass-list=<-loopback>', // Chromium bypasses the proxy for loopback addresses by default
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--disable-quic',
];
