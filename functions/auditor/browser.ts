import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import puppeteer, { type Browser } from 'puppeteer-core';

export type Launch = {
  executable: string;
  proxyPort: number;
  workDir: string;
  /** Only what this needs: no credentials of ours reach a browser that runs hostile pages. */
  env: Record<string, string>;
  debuggingPort: boolean;
};

/** Where the browser keeps its profile; gone with the work folder. */
export const profileOf = (workDir: string): string => join(workDir, 'profile');

/** Starts multi-process Chromium whose only way out is the egress proxy. It ends when its pipe does. */
export const launchBrowser = async ({
  executable,
  proxyPort,
  workDir,
  env,
  debuggingPort,
}: Launch): Promise<Browser> => {
  const userDataDir = profileOf(workDir);
  await mkdir(userDataDir, { recursive: true });
  return puppeteer.launch({
    executablePath: executable,
    headless: 'shell',
    pipe: true,
    userDataDir,
    env,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [
      '--remote-debugging-pipe',
      ...(debuggingPort ? ['--remote-debugging-port=0'] : []),
      '--no-sandbox',
      '--no-zygote',
      '--disable-dev-shm-usage',
      ...egressFlags(proxyPort),
    ],
  });
};

/** Each closes an exit that the others leave open. */
const egressFlags = (proxyPort: number): string[] => [
  `--proxy-server=socks5://127.0.0.1:${proxyPort}`,
  '--proxy-bypass-list=<-loopback>', // without it loopback goes round the proxy
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--disable-quic',
];
