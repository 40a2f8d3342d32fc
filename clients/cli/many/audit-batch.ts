import type { CheckView, CreateCheckBody } from '../../../shared/check.ts';
import type { Client, CreatedCheck } from '../../api/client.ts';
import { isOutage } from '../../api/retries.ts';
import { ServiceError } from '../../api/service-error.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../exit-codes.ts';
import { createPatiently, isPlanLimit } from '../run/creating.ts';
import { outagesOf } from '../run/progress.ts';
import { explainedErasure, type Read, type TimeLimit } from '../run/waiting.ts';
import { type CountingProgress, countingProgress } from './progress-count.ts';

/** Most unfinished checks at once, so that many pages leave room for the other checks of their owner. */
const MAX_UNFINISHED = 10;

export type Batch = {
  client: Client;
  bodies: readonly CreateCheckBody[];
  /** Gets each check that the command creates. */
  created: CreatedCheck[];
  idempotencyKeyOf: (i: number) => string | undefined;
  limit: TimeLimit;
  /** Gets the reason for each page that the service refuses. Without it, such a page ends the command. */
  refused: string[] | undefined;
};

type Progressing = Pick<CountingProgress, 'onLimit' | 'onOutage'>;

/** Creates a check of each body one after another. Waits for the limits of the plan. A page that is refused has undefined. */
async function* creating(
  { client, bodies, created, idempotencyKeyOf, limit, refused }: Batch,
  signal: AbortSignal,
  { onLimit, onOutage }: Progressing,
): AsyncGenerator<CreatedCheck | undefined> {
  for (const [i, body] of bodies.entries()) {
    try {
      const check = await createPatiently(client, body, {
        limit,
        signal,
        idempotencyKey: idempotencyKeyOf(i),
        onWait: (error) => (isPlanLimit(error) ? onLimit(error.message) : onOutage(error)),
        // a wrong URL of the service fails at once
        waitsAfter: (error) => isPlanLimit(error) || (created.length > 0 && isOutage(error)),
      });
      onOutage(undefined);
      created.push(check);
      signal.throwIfAborted();
      yield check;
    } catch (error) {
      if (!refused || !isOfPage(error)) throw error;
      refused.push(`${body.url} is not audited. ${error.message}`);
      yield undefined;
    }
  }
}

const isOfPage = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.errors.length > 0 && error.errors.every(({ path }) => path === 'url');

/** Creates a check of each body. */
export const createAll = async (batch: Batch, { signal, note }: Context): Promise<void> => {
  const retrying = (message: string) => note(`${message} The command retries until its timeout.`);
  const progress = {
    onLimit: once(retrying),
    onOutage: outagesOf((cause) => cause !== undefined && retrying(cause)),
  };
  for await (const _ of creating(batch, signal, progress));
  for (const line of batch.refused ?? []) note(line);
};

const once = (call: (text: string) => void): ((text: string) => void) => {
  let isCalled = false;
  return (text) => {
    if (!isCalled) call(text);
    isCalled = true;
  };
};

/**
 * Creates the checks one after another, and waits for each of them. At most ten are unfinished at once. A failure is
 * returned with the results so far, unless the user interrupts.
 */
export const auditBatch = async <T>(
  batch: Batch,
  context: Context,
  { finished, lastSeen }: Read<T>,
): Promise<{ results: T[]; error?: Error }> => {
  const { client, bodies, created, limit, refused = [] } = batch;
  const failed = new AbortController(); // ends the other waits when one fails
  const progress = countingProgress(bodies.length, context);
  const patient = client.patient(AbortSignal.any([context.signal, limit.signal, failed.signal]), progress.onOutage);
  const seen = new Map<string, CheckView>();
  const read = async ({ id }: CreatedCheck, i: number): Promise<T> => {
    const check = await patient.wait(id, { onChange: (changed) => void seen.set(id, changed) }).catch((error) => {
      throw explainedErasure(error);
    });
    progress.finished(check);
    return finished(patient, check, i);
  };
  const readings: Promise<T>[] = [];
  const unfinished = new Set<Promise<unknown>>();
  try {
    for await (const check of creating(batch, context.signal, progress)) {
      if (!check) progress.skipped();
      else {
        const reading = read(check, readings.length);
        readings.push(reading);
        const ended = reading.finally(() => unfinished.delete(ended));
        unfinished.add(ended);
        ended.catch(() => {}); // the race or the end of the batch reports it
      }
      if (unfinished.size >= MAX_UNFINISHED) await Promise.race(unfinished);
    }
    const results = await Promise.all(readings);
    if (results.length === 0) throw new UsageError('No page is audited, because the service refuses all of them.');
    return { results };
  } catch (error) {
    failed.abort();
    context.signal.throwIfAborted();
    const results = (await Promise.allSettled(readings)).flatMap((each, i) => {
      if (each.status === 'fulfilled') return [each.value];
      const check = seen.get(created[i]?.id as string);
      return check ? [lastSeen(check)] : [];
    });
    return { results, error: limit.explained(error as Error) };
  } finally {
    await progress.end();
    for (const line of refused) context.note(line);
  }
};
