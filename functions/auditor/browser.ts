import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_FLAGS } from 'chrome-launcher/dist/flags.js';
import puppeteer, { type Browser, type ConnectionTransport, type Page } from 'puppeteer-core';
import type { LaunchOrder } from './messages.ts';

export type Launch = LaunchOrder & { workDir: string; debuggingPort: boolean };

/** Where the browser keeps its profile; gone with the work folder. */
export const profileOf = (workDir: string): string => join(workDir, 'profile');

/**
 * Starts multi-process Chromium whose only way out is the egress proxy, in the process group of its caller: a kill of the
 * group leaves nothing of it. (Puppeteer's own launch would give it a group apart.) It ends when its pipe does.
 * In its own sandbox, if it can have one: that takes a kernel that gives namespaces to a user who is not root.
 */
export const launchBrowser = async ({ sandbox, ...launch }: Launch) => {
  const sandboxed = sandbox !== 'none' && process.getuid?.() !== 0 && (await startChromium(launch, []));
  if (sandboxed) return { ...sandboxed, sandbox: true };
  const unsandboxed = sandbox !== 'required' && (await startChromium(launch, ['--no-sandbox', '--no-zygote']));
  if (!unsandboxed) throw new Error('Chromium exited as it started');
  return { ...unsandboxed, sandbox: false };
};

/** Undefined where Chromium ended by itself: it does so, at once, where it can't have its sandbox. One that was killed did not. */
const startChromium = async (
  { executable, proxyPort, workDir, env, debuggingPort }: Omit<Launch, 'sandbox'>,
  flags: string[],
) => {
  const userDataDir = profileOf(workDir);
  await mkdir(userDataDir, { recursive: true });
  const args = [
    ...DEFAULT_FLAGS, // of Lighthouse's own command line: puppeteer's hide scrollbars, and have two documents in a trace
    '--headless',
    `--user-data-dir=${userDataDir}`,
    '--remote-debugging-pipe',
    ...(debuggingPort ? ['--remote-debugging-port=0'] : []),
    '--disable-dev-shm-usage',
    ...flags,
    ...egressFlags(proxyPort),
    'about:blank',
  ];
  const chromium = spawn(executable, args, {
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<'killed' | 'by itself'>((resolve) => {
    chromium.once('exit', (_, signal) => resolve(signal === 'SIGKILL' ? 'killed' : 'by itself'));
    chromium.once('error', () => resolve('by itself')); // it could not even be started
  });
  const transport = pipeTransport(chromium.stdio[3] as Writable, chromium.stdio[4] as Readable);
  exited.then(() => transport.onclose?.());
  try {
    const browser: Browser = await puppeteer.connect({ transport, defaultViewport: null });
    const session = await browser.target().createCDPSession();
    await session.send('Browser.setDownloadBehavior', { behavior: 'deny' }); // what asks for leave, it refuses by itself
    const target = await browser.waitForTarget((each) => each.type() === 'page');
    return { browser, page: (await target.page()) as Page };
  } catch (error) {
    if ((await Promise.race([exited, sleep(1000)])) === 'by itself') return undefined; // its pipe may close before it has ended
    throw error;
  }
};

/** Chromium's debugging pipe: messages end with a NUL. */
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
  for (const pipe of [write, read]) pipe.on('error', () => {}); // the end of the browser, told by `close`
  return transport;
};

/** Each closes an exit that the others leave open. */
export const egressFlags = (proxyPort: number): string[] => [
  `--proxy-server=socks5://127.0.0.1:${proxyPort}`,
  '--proxy-bypass-list=<-loopback>', // without it loopback goes round the proxy
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--disable-quic',
];
