import type { Check, Client, CreatedCheck } from '../client.ts';
import { isFinal } from '../client.ts';
import { ServiceError } from '../service-error.ts';
import type { Context } from './context.ts';
import { ServiceFault } from './exit-codes.ts';
import { progressLines } from './progress.ts';

const ERASE_MS = 5000;

type Read<T> = (client: Client, check: Check, i: number) => Promise<T>;

/**
 * Waits for all checks, and returns the result of `read` for each. Reports each change of a run on stderr. Retries during an
 * outage of the service until the time is over.
 */
export const readWhenFinished = async <T>(
  client: Client,
  created: readonly CreatedCheck[],
  seconds: number,
  { signal, note, terminal }: Context,
  read: Read<T>,
): Promise<T[]> => {
  const timeout = AbortSignal.timeout(seconds * 1000);
  const failed = new AbortController(); // ends the other waits when one fails
  const { onChange, onOutage, end } = terminal
    ? (await import('./progress-rows.ts')).progressRows(created, terminal)
    : progressLines(note);
  const patient = client.patient(AbortSignal.any([signal, timeout, failed.signal]), onOutage);
  try {
    const checks = await Promise.all(created.map(({ id }) => patient.wait(id, { onChange }).catch(explainErasure)));
    await end();
    return await Promise.all(checks.map((check, i) => read(patient, check, i)));
  } catch (error) {
    failed.abort();
    if (timeout.aborted && !signal.aborted) throw new ServiceFault(`The checks did not finish within ${seconds} s.`);
    throw error;
  } finally {
    await end();
  }
};

const explainErasure = (error: unknown): never => {
  if (!(error instanceof ServiceError && error.code === 'not-found')) throw error;
  throw new ServiceFault('A check was erased while the command waited for it. Run the command again.');
};

/** Reports how to read the checks of a command that has failed. */
export const reportKept = (
  created: readonly CreatedCheck[],
  { serviceUrl, note }: Context,
  data: string | undefined,
): void => {
  if (created.length === 0) return;
  if (!serviceUrl && data === undefined) {
    note(
      'The service of this command ends, and its checks are deleted. To keep them, give --data or set PAGE_AUDIT_URL.',
    );
    return;
  }
  const option = serviceUrl || data === undefined ? '' : ` --data ${shellWord(data)}`;
  note('The checks stay. An unfinished check goes on while its service runs. Read them later with:');
  for (const { id } of created) note(`page-audit get ${shellWord(id)}${option}`);
};

/** Returns a text as one word of a shell, because users copy it from the message. */
const shellWord = (text: string): string => (/^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** Erases the checks that are not finished, and prints their ids. */
export const eraseUnfinished = async (
  client: Client,
  created: readonly CreatedCheck[],
  { note }: Context,
): Promise<void> => {
  const signal = AbortSignal.timeout(ERASE_MS); // the signal of the command has aborted
  await Promise.all(
    created.map(async ({ id }) => {
      try {
        if (isFinal(await client.get(id, { signal }))) return note(`The check ${id} is finished and stays.`);
        await client.delete(id, { signal });
        note(`The unfinished check ${id} is erased.`);
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'not-found') return;
        note(`The check ${id} could not be erased. Erase it with: page-audit delete ${shellWord(id)}`);
      }
    }),
  );
};
