import { isServiceUrl } from './context.ts';
import { explain, Interrupted, UsageError } from './exit-codes.ts';
import { runProgram } from './program.ts';

const { PAGE_AUDIT_URL, PAGE_AUDIT_KEY, NO_COLOR } = process.env;

const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (interrupt.signal.aborted) process.exit(130);
    interrupt.abort(new Interrupted('Interrupted.'));
  });
}
// The reader of the output has ended, for example `head`.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(0));
if (process.channel) {
  process.once('disconnect', () => process.exit(130)); // the launcher was killed
  process.channel.unref();
}

const main = async (): Promise<number> => {
  if (PAGE_AUDIT_URL && !isServiceUrl(PAGE_AUDIT_URL)) {
    throw new UsageError('PAGE_AUDIT_URL is no URL of a service. Use one such as http://127.0.0.1:4080.');
  }
  return runProgram(process.argv.slice(2), {
    serviceUrl: PAGE_AUDIT_URL || undefined,
    key: PAGE_AUDIT_KEY || undefined,
    env: process.env,
    signal: interrupt.signal,
    view: { width: process.stdout.columns ?? 80, color: process.stdout.isTTY === true && !NO_COLOR },
    print: (text) => new Promise((resolve) => process.stdout.write(text, () => resolve())),
    terminal: process.stderr.isTTY && process.stderr.columns >= 40 ? process.stderr : undefined,
    note: (line) => void process.stderr.write(`${line}\n`),
  });
};

process.exitCode = await main().catch((error) => {
  const { text, code } = explain(error);
  process.stderr.write(`${text}\n`);
  return code;
});
