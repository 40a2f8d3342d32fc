import type { Readable } from 'node:stream';
import { Client } from '../api/client.ts';
import { UsageError } from './exit-codes.ts';
import type { View } from './formats/terminal.ts';
import type { CheckResult } from './run/result.ts';
import { startOwnService } from './service/service.ts';
import { requireService } from './service/service-url.ts';

/** Everything that a command finds around itself. */
export type Context = {
  /** URL of the service. Without one, `run` starts a service of its own. */
  serviceUrl: string | undefined;
  /** Variable that has the URL, for messages. */
  urlVariable?: string;
  key: string | undefined;
  /** Environment of a service that the command starts. */
  env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the user interrupts the command. */
  signal: AbortSignal;
  /** Width and colours of stdout. */
  view: View;
  /** Writes to stdout. Throws a WriteError if the text is lost, except when the reader has closed the pipe. */
  print: (text: string) => Promise<void>;
  /** Aborts when stdout can't be written any more. */
  stdoutLost: AbortSignal;
  /** Stderr if it is a terminal that is wide enough for rows. */
  terminal: NodeJS.WriteStream | undefined;
  stdin: () => Readable;
  /** Opens an address in a browser. Undefined without a terminal. */
  openAddress: ((address: string) => Promise<void>) | undefined;
  /** Writes a line to stderr. */
  note: (line: string) => void;
  /** Reports results to the CI service of the job. */
  report?: (results: readonly CheckResult[]) => Promise<void>;
};

export const isServiceUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && !username && !password;
};

/**
 * Calls `work` with a client of the service in PAGE_AUDIT_URL, or of a service that ends with the work. If that service ends
 * before, `ended` aborts and requests of the client fail.
 */
export const withClient = async <T>(
  { serviceUrl, urlVariable, key, env, signal }: Context,
  data: string | undefined,
  work: (client: Client, server: string | null, ended?: AbortSignal) => Promise<T>,
): Promise<T> => {
  if (serviceUrl) {
    if (data !== undefined) throw new UsageError('--data is for the service of this command. Unset PAGE_AUDIT_URL.');
    await requireService({ serviceUrl, urlVariable, key, signal });
    return work(new Client({ url: serviceUrl, key }), serviceUrl.replace(/\/+$/, ''));
  }
  const own = await startOwnService(data, { env, signal });
  try {
    return await work(new Client({ url: own.url, signal: own.ended }), null, own.ended);
  } finally {
    await own.stop();
  }
};
