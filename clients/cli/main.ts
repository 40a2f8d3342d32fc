import { unusedProxy } from '../../shared/unused-proxy.ts';
import { ServiceError } from '../api/service-error.ts';
import { isServiceUrl } from './context.ts';
import { isOwnVariable, serviceOf } from './environment.ts';
import { exitCodes, explain, InterruptedError, UsageError } from './exit-codes.ts';
import { runProgram } from './program.ts';
import { openInBrowser } from './run/open.ts';
import { Streams } from './streams.ts';
import { showsRows, viewOf } from './view.ts';

const env = { ...process.env };
const service = serviceOf(env);
for (const name of Object.keys(env)) if (isOwnVariable(name)) delete process.env[name]; // a lighthouserc may be a script
/** A terminal and npm may send the same signal to this process, in milliseconds. */
const REPEAT_MS = 500;

const streams = new Streams();
const end = async (error: unknown): Promise<number> => {
  const { text, code } = explain(error);
  const proxy = error instanceof ServiceError && error.kind === 'unreachable' && unusedProxy(env);
  streams.note(proxy ? `${text} The command uses the proxy of ${proxy} only with NODE_USE_ENV_PROXY=1.` : text);
  return streams.end(code);
};
process.once('uncaughtException', async (error) => process.exit(await end(error)));

const interrupt = new AbortController();
let interruptedAt = 0;
const onSignal = () => {
  if (!interrupt.signal.aborted) {
    interruptedAt = performance.now();
    interrupt.abort(new InterruptedError('Interrupted.'));
  } else if (performance.now() - interruptedAt > REPEAT_MS) process.exit(exitCodes.interrupted);
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
if (process.channel) {
  process.on('message', onSignal); // the launcher has received a signal
  process.once('disconnect', onSignal); // the launcher was killed
  process.channel.unref();
}

const main = async (): Promise<number> => {
  if (service.url && !isServiceUrl(service.url)) {
    throw new UsageError(
      `${service.variable} is no URL of a service. Use one that starts with http:// or https://, such as http://127.0.0.1:4080.`,
    );
  }
  return runProgram(process.argv.slice(2), {
    serviceUrl: service.url,
    urlVariable: service.variable,
    key: service.key,
    env,
    signal: interrupt.signal,
    view: viewOf(process.stdout, process.env),
    print: streams.print,
    stdoutLost: streams.stdoutLost,
    terminal: showsRows(process.stderr, process.env) ? process.stderr : undefined,
    stdin: () => process.stdin,
    openAddress: process.stdout.isTTY ? openInBrowser : undefined,
    note: streams.note,
  });
};

process.exitCode = await main().then((code) => streams.end(code), end);
