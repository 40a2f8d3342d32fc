import type { CheckView } from '../../../shared/check.ts';
import { isFinished } from '../../../shared/states.ts';
import type { Client, CreatedCheck } from '../../api/client.ts';
import { ServiceError } from '../../api/service-error.ts';
import type { Context } from '../context.ts';
import { ServiceFaultError } from '../exit-codes.ts';
import { shellWord } from '../shell-word.ts';
import { type NamedCheck, progressLines, urlAndDevice } from './progress.ts';

const ERASE_MS = 5000;

/** Time limit of a command. `signal` aborts at its end, and `explained` returns the error of a command that it has ended. */
export type TimeLimit = { signal: AbortSignal; explained: (error: Error) => Error };

export const timeLimit = (seconds: number): TimeLimit => {
  const signal = AbortSignal.timeout(seconds * 1000);
  const tooLate = () => new ServiceFaultError(`The checks did not finish within ${seconds} s.`);
  return { signal, explained: (error) => (signal.aborted ? tooLate() : error) };
};

export type Read<T> = {
  /** Returns the result of a finished check. */
  finished: (client: Client, check: CheckView, i: number) => Promise<T>;
  /** Returns the result of a check as the command saw it last, when the command failed before its result was read. */
  lastSeen: (check: CheckView) => T;
  /** Returns the name of a check in the progress. By default it is the URL and the device. */
  nameOf?: (check: NamedCheck) => string;
};

/**
 * Waits for all checks, and returns the result of each. Reports each change of a run on stderr. Retries during an outage of
 * the service until the time is over. A failure is returned with the results so far, unless the user interrupts.
 */
export const readWhenFinished = async <T>(
  client: Client,
  created: readonly CreatedCheck[],
  limit: TimeLimit,
  { signal, note, terminal }: Context,
  { finished, lastSeen, nameOf = created.length === 1 && terminal ? ({ url }) => url : urlAndDevice }: Read<T>,
): Promise<{ results: T[]; error?: Error }> => {
  const failed = new AbortController(); // ends the other waits when one fails
  const { onChange, onOutage, end } = terminal
    ? (await import('./progress-rows.ts')).progressRows(created, nameOf, terminal)
    : progressLines(nameOf, note);
  const seen = new Map<string, CheckView>();
  const patient = client.patient(AbortSignal.any([signal, limit.signal, failed.signal]), onOutage);
  const watch = (check: CheckView) => {
    seen.set(check.id, check);
    onChange(check);
  };
  const waits = created.map(({ id }) =>
    patient.wait(id, { onChange: watch }).catch((error) => {
      if (isErasure(error)) seen.delete(id);
      throw explainedErasure(error);
    }),
  );
  const reading = waits.map(async (wait, i) => finished(patient, await wait, i));
  const settled = Promise.allSettled(reading); // now, because an early rejection would be unhandled
  try {
    await Promise.all(waits); // a report that can't be read ends no wait
    return { results: await Promise.all(reading) };
  } catch (error) {
    failed.abort();
    signal.throwIfAborted();
    const results = (await settled).flatMap((each, i) => {
      if (each.status === 'fulfilled') return [each.value];
      const check = seen.get(created[i]?.id as string);
      return check ? [lastSeen(check)] : [];
    });
    return { results, error: limit.explained(error as Error) };
  } finally {
    await end();
  }
};

const isErasure = (error: unknown): boolean => error instanceof ServiceError && error.code === 'not-found';

/** Returns the error of a wait. The check may have been erased meanwhile. */
export const explainedErasure = (error: unknown): unknown => {
  if (!isErasure(error)) return error;
  return new ServiceFaultError('A check was erased while the command waited for it. Run the command again.');
};

/**
 * Calls `work` with a list for the checks that it creates. After a failure, reports how to read these checks. After an
 * interrupt, erases the unfinished ones.
 */
export const keepingChecks = async <T>(
  context: Context,
  client: Client,
  data: string | undefined,
  work: (created: CreatedCheck[]) => Promise<T>,
): Promise<T> => {
  const created: CreatedCheck[] = [];
  try {
    return await work(created);
  } catch (error) {
    if (context.signal.aborted) await eraseUnfinished(client, created, context);
    else reportKept(created, context, data);
    throw error;
  }
};

/** Reports how to read the checks of a command that has failed. */
const reportKept = (
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

/** Erases the checks that are not finished, and prints their ids. */
const eraseUnfinished = async (client: Client, created: readonly CreatedCheck[], { note }: Context): Promise<void> => {
  const signal = AbortSignal.timeout(ERASE_MS); // the signal of the command has aborted
  await Promise.all(
    created.map(async ({ id }) => {
      try {
        if (isFinished((await client.get(id, { signal })).state)) return note(`The check ${id} is finished and stays.`);
        await client.delete(id, { signal });
        note(`The unfinished check ${id} is erased.`);
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'not-found') return;
        note(`The check ${id} could not be erased. Erase it with: page-audit delete ${shellWord(id)}`);
      }
    }),
  );
};
