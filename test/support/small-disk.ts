import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { waitFor } from './service.ts';

const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
const unshare = [...asRoot, '--mount'];

/** Returns why this machine can't mount a disk of its own. */
export const noDiskHere = (): string | undefined => {
  if (process.platform !== 'linux') return 'a small disk needs Linux';
  const { status, stderr } = spawnSync('unshare', [...unshare, 'mount', '-t', 'tmpfs', 'small', '/mnt'], {
    encoding: 'utf8',
  });
  return status === 0 ? undefined : `a small disk needs root or user namespaces: ${stderr?.trim() ?? 'no unshare'}`;
};

/** Starts the API on a data folder, in a process of its own. With `mount`, a disk with these options is at the folder. */
export const startLocalApi = async (dataDir: string, { mount }: { mount?: string } = {}) => {
  const api = [process.execPath, fileURLToPath(new URL('local-api.ts', import.meta.url)), dataDir];
  const [command, ...given] = mount
    ? ['unshare', ...unshare, 'sh', '-c', `mount -t tmpfs -o ${mount} small "${dataDir}" && exec "$0" "$@"`, ...api]
    : api;
  const child = spawn(command as string, given, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const exited = once(child, 'exit');
  const url = await waitFor(() => {
    if (child.exitCode !== null) return `not started: ${output}`;
    return output.match(/API: (.*)/)?.[1];
  });
  return {
    url,
    pid: child.pid as number,
    output: () => output,
    /** Path of a file on the disk of the process, as seen from this process. */
    pathOf: (name: string) => `/proc/${child.pid}/root${dataDir}/${name}`,
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
};
