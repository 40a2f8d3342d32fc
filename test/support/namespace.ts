import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe } from 'vitest';
import { functionSettings } from '../../infra/settings.ts';
import { chromiumDir } from './chromium-dir.ts';
import type { Answer, Deed, Seen } from './namespace-world.ts';
import { unlessMissing } from './skips.ts';

export type { Answer, Deed, Seen } from './namespace-world.ts';

/** Of every name there that ends in example.com, .net or .org; of those with `silent` in them nothing is ever heard. */
export const PUBLIC = '93.184.216.34';
const RESOLVER = '9.9.9.9';

const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
const unshare = [...asRoot, '--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];

/** Why no network namespace can be made here; undefined where one can. */
const noNamespaceHere = (): string | undefined => {
  if (process.platform !== 'linux') return 'it needs Linux';
  for (const tool of ['unshare', 'ip', 'perl', 'openssl']) {
    if (spawnSync('which', [tool]).status !== 0) return `it needs ${tool}`;
  }
  const { status, stderr } = spawnSync('unshare', [...unshare, 'ip', 'link', 'set', 'lo', 'up'], { encoding: 'utf8' });
  return status === 0 ? undefined : `a network namespace is not permitted here: ${stderr.trim()}`;
};

/** A network of its own in which every address answers, and the auditor in it: see namespace.sh. Ends with all its processes. */
const startNamespace = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'namespace-'));
  await chmod(folder, 0o755);
  const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const started = spawn('unshare', [...unshare, 'sh', here('./namespace.sh')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      UV_THREADPOOL_SIZE: `${functionSettings.auditThreads}`, // as the service has it
      TMPDIR: folder,
      POWERTOOLS_LOG_LEVEL: process.env.POWERTOOLS_LOG_LEVEL,
      NODE: process.execPath,
      WORLD: here('./namespace-world.ts'),
      FOLDER: folder,
      RESOLVER,
      PUBLIC,
      CHROMIUM_DIR: chromiumDir(),
    },
  });
  const waiting = new Map<number, (seen: Seen) => void>();
  const exit = once(started, 'exit');
  const ready = once(started, 'message');
  started.on('message', ({ id, seen }: { id: number; seen: Seen }) => waiting.get(id)?.(seen));
  const orEnded = <T>(work: Promise<T>): Promise<T> =>
    Promise.race([work, exit.then(() => Promise.reject(new Error('the namespace ended')))]);
  await orEnded(ready);

  return {
    does: (deed: Deed): Promise<Seen> => {
      const id = waiting.size;
      const seen = new Promise<Seen>((resolve) => waiting.set(id, resolve));
      started.send({ id, deed });
      return orEnded(seen);
    },
    [Symbol.asyncDispose]: async () => {
      started.kill('SIGKILL');
      await exit;
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
};

/** Runs tests in a network namespace of their own. Skips them if this machine can't make one. */
export const inNamespace = (tests: (does: (deed: Deed) => Promise<Seen>) => void): void => {
  describe('in a network of its own', unlessMissing(noNamespaceHere()), () => {
    let world: Awaited<ReturnType<typeof startNamespace>>;
    beforeAll(async () => {
      world = await startNamespace();
    });
    afterAll(() => world?.[Symbol.asyncDispose]());
    tests((deed) => world.does(deed));
  });
};

/** The answer by which a page there learns what to try: test/pages/exits. */
export const tells = (origin: string, { tries = [], loads = [] }: Tries): Record<string, Answer> => ({
  [`${origin}/tries.json`]: { body: JSON.stringify({ tries, loads }) },
});
type Tries = { tries?: { target: string; names?: string[] }[]; loads?: { name: string; url: string }[] };

/** Packets to anything but public addresses by the proxy's leave, the name server, and the own origin in local mode. */
export const strays = ({ packets }: Seen, own = ''): string[] =>
  packets.filter(
    (packet) => !packet.startsWith(`tcp ${PUBLIC} `) && !packet.startsWith(`udp ${RESOLVER} `) && packet !== own,
  );
