import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Invocation, Outcome } from './lambda-runtime.ts';

type Options = {
  /** The asset's folder. */
  code: string;
  functionName: string;
  awsRegion: string;
  env: Record<string, string>;
  timeoutSeconds: number;
  memoryMb: number;
  storageMb: number;
};

/** Why no sandbox can be made here; undefined where one can. */
export const noSandboxHere = (): string | undefined => {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'it needs Linux on x64';
  for (const tool of ['unshare', 'prlimit', 'perl', 'ldd']) {
    if (spawnSync('which', [tool]).status !== 0) return `it needs ${tool}`;
  }
  const { status, stderr } = spawnSync('unshare', ['--mount', '--pid', '--fork', 'true'], { encoding: 'utf8' });
  return status === 0 ? undefined : `unshare is not permitted, it takes root: ${stderr.trim()}`;
};

/**
 * A function's asset, running as on Lambda as far as one machine can: see lambda-sandbox.sh. Lambda's processor share, its
 * freeze between events and its network are not imitated. Resolves when the module is imported. Ends with all its processes.
 */
export const startLambda = async ({ code, functionName, awsRegion, env, ...options }: Options) => {
  const root = await mkdtemp(join(tmpdir(), 'lambda-'));
  const script = fileURLToPath(new URL('./lambda-sandbox.sh', import.meta.url));
  const started = spawn('unshare', ['--mount', '--pid', '--fork', '--kill-child', 'sh', script], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...env,
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      AWS_LAMBDA_FUNCTION_NAME: functionName,
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(options.memoryMb),
      AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
      AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${functionName}`,
      AWS_LAMBDA_LOG_STREAM_NAME: 'sandbox',
      AWS_REGION: awsRegion,
      AWS_DEFAULT_REGION: awsRegion,
      LAMBDA_TASK_ROOT: '/var/task',
      LAMBDA_RUNTIME_DIR: '/var/runtime',
      _HANDLER: 'index.handler',
      LANG: 'en_US.UTF-8',
      TZ: ':UTC',
      PATH: '/var/lang/bin:/usr/local/bin:/usr/bin/:/bin:/opt/bin',
      LD_LIBRARY_PATH: '/var/lang/lib:/lib64:/usr/lib64:/var/runtime:/var/runtime/lib:/var/task:/var/task/lib:/opt/lib',
      NODE_PATH: '/opt/nodejs/node24/node_modules:/opt/nodejs/node_modules:/var/runtime/node_modules',
      CODE: code,
      NODE: process.execPath,
      RUNTIME: fileURLToPath(new URL('./lambda-runtime.ts', import.meta.url)),
      ROOT: root,
      TMP_MB: String(options.storageMb),
    },
  });
  let logs = '';
  for (const stream of [started.stdout, started.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      logs += text;
    });
  }

  const outcome = async (): Promise<Outcome> => {
    const [said] = await Promise.race([once(started, 'message'), once(started, 'exit')]);
    return started.exitCode === null && said ? said : { error: `the sandbox ended: ${logs.slice(-2000)}` };
  };
  const close = async () => {
    if (started.exitCode === null && started.signalCode === null) {
      const exit = once(started, 'exit');
      started.kill('SIGKILL');
      await exit;
    }
    await rmdir(root);
  };

  const ready = await outcome();
  if (!('initMs' in ready)) {
    await close();
    throw new Error(JSON.stringify(ready));
  }
  return {
    initMs: ready.initMs,
    /** Gives the function one event, and its answer. Throws what the handler threw. */
    invoke: async (event: unknown): Promise<unknown> => {
      const said = outcome();
      started.send({ event, timeoutSeconds: options.timeoutSeconds } satisfies Invocation);
      const end = await said;
      if ('answer' in end) return end.answer;
      throw new Error(JSON.stringify(end));
    },
    logs: () => logs,
    [Symbol.asyncDispose]: close,
  };
};
