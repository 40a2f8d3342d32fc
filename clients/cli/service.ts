import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ServiceFault, UsageError } from './exit-codes.ts';

/** A service of this command, until `stop`. */
export type OwnService = { url: string; stop: () => Promise<void> };

type Environment = Readonly<Record<string, string | undefined>>;
const STOP_MS = 15_000;

/**
 * Starts the service of this repository on a free port. The service ends with this process. Its data are in `dataDir`,
 * or in a temporary folder that the service deletes.
 */
export const startOwnService = async (
  dataDir: string | undefined,
  { env, signal }: { env: Environment; signal: AbortSignal },
): Promise<OwnService> => {
  if (!import.meta.filename.endsWith('.ts')) {
    throw new UsageError(
      'This package has no service inside. Set PAGE_AUDIT_URL to the URL of a page audit service, such as http://127.0.0.1:4080.',
    );
  }
  const file = join(import.meta.dirname, '../../infra/local/command-service.ts');
  const { PAGE_AUDIT_KEY: _, ...rest } = env;
  const child = spawn(process.execPath, ['--max-semi-space-size=4', file, ...(dataDir ? [dataDir] : [])], {
    env: rest,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const exited = once(child, 'exit');
  const disconnect = () => child.connected && child.disconnect(); // ends the service
  signal.addEventListener('abort', disconnect, { once: true });
  const [started] = (await Promise.race([once(child, 'message'), exited])) as [{ url?: string; error?: string }];
  signal.removeEventListener('abort', disconnect); // from here on, the command stops the service at its end
  signal.throwIfAborted();
  if (!started?.url) {
    const reason = started?.error ?? 'its process ended';
    throw new ServiceFault(`The service did not start: ${reason.replace('set DATA_DIR to', 'give --data')}`);
  }
  return {
    url: started.url,
    stop: async () => {
      disconnect();
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await exited;
      clearTimeout(timer);
    },
  };
};
