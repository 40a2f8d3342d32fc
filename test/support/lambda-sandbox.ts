import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { functionRows } from '../../shared/service/functions.ts';
import type { Invocation, Outcome } from './lambda-runtime.ts';
import { descendantsOf, type Process, userOf } from './processes.ts';

type Options = {
  /** Folder of the function's asset. */
  code: string;
  functionName: string;
  awsRegion: string;
  env: Record<string, string>;
  timeoutSeconds: number;
  memoryMb: number;
  storageMb: number;
} & Partial<Limits>;

type Limits = {
  /** Limit of processes and threads. Lambda's limit is 1,024. */
  processes: number;
  /** The user's id. */
  user: number;
};

/** Starts the asset of `run-audit`, or another one with its limits. */
export const startRunAudit = (code: string, env: Record<string, string> = {}, limits: Partial<Limits> = {}) =>
  startLambda({
    ...limits,
    code,
    functionName: 'run-audit',
    awsRegion: 'us-west-2',
    env,
    timeoutSeconds: functionRows['run-audit'].timeoutSeconds,
    memoryMb: functionRows['run-audit'].memoryMb,
    storageMb: functionRows['run-audit'].storageMb,
  });

/** Returns the event with which SQS delivers a message for the first time. */
export const sqsEvent = (body: unknown) => ({
  Records: [
    {
      messageId: 'aaaaaaaa-0000-4000-8000-000000000000',
      receiptHandle: 'handle',
      body: JSON.stringify(body),
      attributes: {
        ApproximateReceiveCount: '1',
        SentTimestamp: '0',
        SenderId: '',
        ApproximateFirstReceiveTimestamp: '0',
      },
      messageAttributes: {},
      md5OfBody: '',
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:us-west-2:000000000000:audits',
      awsRegion: 'us-west-2',
    },
  ],
});

/** Returns why this machine can't create a sandbox. */
export const noSandboxHere = (): string | undefined => {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'the sandbox needs Linux on x64';
  for (const tool of ['unshare', 'prlimit', 'perl', 'ldd']) {
    if (spawnSync('which', [tool]).status !== 0) return `the sandbox needs ${tool}`;
  }
  const { stdout } = spawnSync('sh', ['-c', 'PATH=$PATH:/sbin ldconfig -p'], { encoding: 'utf8' });
  if (!stdout.includes('libsqlite3.so.0')) return 'the sandbox needs libsqlite3.so.0, which Amazon Linux has';
  const { status, stderr } = spawnSync('unshare', ['--mount', '--pid', '--fork', 'true'], { encoding: 'utf8' });
  return status === 0 ? undefined : `the sandbox needs root: ${stderr.trim()}`;
};

/** User that a function runs as on Lambda. */
const LAMBDA_USER = 993;

/**
 * Starts a function's asset in a sandbox like Lambda's: see lambda-sandbox.sh. Resolves when the module is imported. The
 * processes are frozen except during an event. The sandbox doesn't imitate Lambda's CPU share or its network.
 */
const startLambda = async ({ code, functionName, awsRegion, env, user = LAMBDA_USER, ...options }: Options) => {
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
      PROCESSES: String(options.processes ?? 1024),
      SANDBOX_USER: String(user),
    },
  });
  let logs = '';
  for (const stream of [started.stdout, started.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      logs += text;
    });
  }

  const processes = () => descendantsOf(started.pid as number).filter(({ pid }) => userOf(pid) === user);
  // A frozen process outlives its parent, because a change of user cancels the signal at the parent's death.
  const kill = () => signalAll(processes(), 'SIGKILL');
  process.on('exit', kill);

  const outcome = async (): Promise<Outcome> => {
    const over = new AbortController(); // removes the other listener
    const { signal } = over;
    const [message] = await Promise.race([once(started, 'message', { signal }), once(started, 'exit', { signal })]);
    over.abort();
    if (started.exitCode === null && message) return message;
    return { error: `The sandbox has ended: ${logs.slice(-2000)}` };
  };
  const close = async () => {
    kill();
    process.off('exit', kill);
    if (started.exitCode === null && started.signalCode === null) {
      const exit = once(started, 'exit');
      started.kill('SIGKILL');
      await exit;
    }
    await rmdir(root);
  };

  const freeze = () => {
    for (const _ of ['all', 'those that started meanwhile']) signalAll(processes(), 'SIGSTOP');
  };
  const thaw = () => signalAll(processes().reverse(), 'SIGCONT'); // a parent may look at the state of its children

  const ready = await outcome();
  freeze();
  if (!('initMs' in ready)) {
    await close();
    throw new Error(JSON.stringify(ready));
  }
  return {
    initMs: ready.initMs,
    /** Sends an event to the function. Returns the handler's result, or throws the handler's error. */
    invoke: async (event: unknown): Promise<unknown> => {
      const next = outcome();
      thaw();
      started.send({ event, timeoutSeconds: options.timeoutSeconds } satisfies Invocation);
      const end = await next;
      freeze();
      if ('answer' in end) return end.answer;
      throw new Error(JSON.stringify(end));
    },
    /** Lets the processes run without an event, as Lambda never does. */
    runFor: async (ms: number): Promise<void> => {
      thaw();
      await sleep(ms);
      freeze();
    },
    logs: () => logs,
    [Symbol.asyncDispose]: close,
  };
};

const signalAll = (processes: Process[], signal: NodeJS.Signals): void => {
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has exited.
    }
  }
};
