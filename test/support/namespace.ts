import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe } from 'vitest';
import { functionRows } from '../../shared/service/functions.ts';
import { auditorDir } from './auditor-dir.ts';
import { chromiumDir } from './chromium-dir.ts';
import type { Answer, Observed, Task } from './namespace-world.ts';
import { unlessMissing } from './skips.ts';

export type { Answer, Observed, Task } from './namespace-world.ts';

/** Address of all names under example.com, .net and .org. The name server never answers for names with the label `silent`. */
export const PUBLIC = '93.184.216.34';
const RESOLVER = '9.9.9.9';

const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
const unshare = [...asRoot, '--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];

/** Port of the world's servers that the service counts as its own engine. */
export const ENGINE_PORT = 9222;

/** Returns why this machine can't create a network namespace. */
const noNamespaceHere = (): string | undefined => {
  if (process.platform !== 'linux') return 'a network namespace needs Linux';
  for (const tool of ['unshare', 'ip', 'perl', 'openssl']) {
    if (spawnSync('which', [tool]).status !== 0) return `a network namespace needs ${tool}`;
  }
  const { status, stderr } = spawnSync('unshare', [...unshare, 'ip', 'link', 'set', 'lo', 'up'], { encoding: 'utf8' });
  return status === 0 ? undefined : `a network namespace needs root or user namespaces: ${stderr.trim()}`;
};

/** Starts an auditor in a network of its own, in which every address answers: see namespace.sh. */
const startNamespace = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'namespace-'));
  await chmod(folder, 0o755);
  const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const started = spawn('unshare', [...unshare, 'sh', here('./namespace.sh')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      UV_THREADPOOL_SIZE: `${functionRows['run-audit'].threads}`, // as in the service
      TMPDIR: folder,
      POWERTOOLS_LOG_LEVEL: process.env.POWERTOOLS_LOG_LEVEL,
      NODE: process.execPath,
      WORLD: here('./namespace-world.ts'),
      FOLDER: folder,
      RESOLVER,
      PUBLIC,
      CHROMIUM_DIR: chromiumDir(),
      CHROMIUM: process.env.CHROMIUM,
      AUDITOR_DIR: await auditorDir(),
      ENGINE_PORT: `${ENGINE_PORT}`,
    },
  });
  const waiting = new Map<number, (observed: Observed) => void>();
  const exit = once(started, 'exit');
  const ready = once(started, 'message');
  started.on('message', ({ id, observed }: { id: number; observed: Observed }) => waiting.get(id)?.(observed));
  const orEnded = <T>(work: Promise<T>): Promise<T> =>
    Promise.race([work, exit.then(() => Promise.reject(new Error('The processes in the namespace have ended.')))]);
  await orEnded(ready);

  return {
    run: (task: Task): Promise<Observed> => {
      const id = waiting.size;
      const observed = new Promise<Observed>((resolve) => waiting.set(id, resolve));
      started.send({ id, task });
      return orEnded(observed);
    },
    [Symbol.asyncDispose]: async () => {
      started.kill('SIGKILL');
      await exit;
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
};

/** Runs tests in a network namespace of their own. Skips them if this machine can't make one. */
export const inNamespace = (tests: (run: (task: Task) => Promise<Observed>) => void): void => {
  describe('in a network of its own', unlessMissing(noNamespaceHere()), () => {
    let world: Awaited<ReturnType<typeof startNamespace>>;
    beforeAll(async () => {
      world = await startNamespace();
    });
    afterAll(() => world?.[Symbol.asyncDispose]());
    tests((task) => world.run(task));
  });
};

/** Returns the response that triesFor the page of test/pages/exits which ways to try. */
export const triesFor = (origin: string, { tries = [], loads = [] }: Tries): Record<string, Answer> => ({
  [`${origin}/tries.json`]: { body: JSON.stringify({ tries, loads }) },
});
type Tries = { tries?: { target: string; names?: string[] }[]; loads?: { name: string; url: string }[] };

/** Returns the packets that went neither to the public address, nor to the name server, nor to these targets. */
export const strays = ({ packets }: Observed, own: readonly string[] = []): string[] =>
  packets.filter(
    (packet) => !packet.startsWith(`tcp ${PUBLIC} `) && !packet.startsWith(`udp ${RESOLVER} `) && !own.includes(packet),
  );

/** Names that a page uses only in ways for which a browser would look them up itself. */
const NEVER_LOOKED_UP = ['prefetched.example.org', 'stun.example.org', 'turn.example.org'];

/** Returns the names that the browser looked up. The proxy looks a name up once for each address family. */
export const lookedUpByBrowser = ({ names }: Observed): string[] =>
  [...new Set(names)].filter(
    (name) => NEVER_LOOKED_UP.includes(name) || names.filter((each) => each === name).length > 2,
  );

/** Origins of the pages that try ways out. */
export const ORIGIN = {
  http: 'http://page.example.com',
  https: 'https://page.example.com',
  local: 'http://127.0.0.1:3000',
};
