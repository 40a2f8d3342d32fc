import type { CheckView, CreateCheckBody } from '../../shared/check.ts';
import { isFinished } from '../../shared/states.ts';
import type { Client, CreatedCheck } from '../api/client.ts';
import { isOutage } from '../api/retries.ts';
import { ServiceError } from '../api/service-error.ts';
import { sampleText } from '../words/turns.ts';
import { withScheme } from '../words/urls.ts';
import { MAX_WAIT_SECONDS } from './summary.ts';

/** Pause between two progress reports, in milliseconds. A report restarts the request timeout of many agents. */
const REPORT_MS = 5000;
const TIMEOUT_SECONDS = 900;
/** Reason of a call that an agent cancels because it has waited too long. */
const TIMED_OUT = /timed? ?out/i;

/** Inputs of a create. Without regions, the check has the first region of the service. */
type Inputs = Omit<CreateCheckBody, 'regions'> & {
  regions?: string[] | undefined;
  idempotencyKey?: string | undefined;
};
type Watch = {
  signal: AbortSignal;
  report: (message: string) => Promise<void>;
  /** Time of the last reading, in milliseconds of `performance.now()`. Without it, the call lasts until the check is finished. */
  waitUntil?: number | undefined;
};
/** A check that may be unfinished, and of which an answer of the service may be lost. */
export type KnownCheck = CheckView | CreatedCheck;

/** The call of the agent has failed by the cause, and a next step leads to its check. */
export class NextStepError extends Error {}

const keptStep = (id: string): string => `The check ${id} stays. Read it later with get_check.`;
const lostStep = (key: string): string =>
  `The check may exist. To get it and no second one, pass the same inputs again with the idempotencyKey ${key}.`;

/**
 * Creates a check and returns it when it is finished. Retries during an outage of the service. Erases an unfinished check
 * only if the agent cancels the call.
 */
export const runCheck = async (
  client: Client,
  { idempotencyKey = crypto.randomUUID(), ...inputs }: Inputs,
  { signal, report, waitUntil }: Watch,
): Promise<KnownCheck> => {
  const regions = inputs.regions ?? [await firstRegion(client, signal)];
  const created = await create(client, { ...inputs, url: withScheme(inputs.url), regions }, idempotencyKey);
  if (waitUntil !== undefined) return readUntil(client, created, waitUntil, signal);
  const { id } = created;
  let check: CheckView | undefined;
  let sent = Promise.resolve();
  const send = () => {
    sent = report(progressOf(check)).catch(() => undefined); // the agent is gone, and its signal ends the wait
  };
  const timer = setInterval(send, REPORT_MS);
  const timeout = AbortSignal.timeout(TIMEOUT_SECONDS * 1000);
  try {
    return await client.patient(AbortSignal.any([signal, timeout])).wait(id, {
      onChange: (changed) => {
        check = changed;
        send();
      },
    });
  } catch (error) {
    if (signal.aborted && !TIMED_OUT.test(`${signal.reason}`) && !(check && isFinished(check.state)))
      await client.delete(id);
    if (signal.aborted) throw error;
    const cause = timeout.aborted ? new Error(`It did not finish within ${TIMEOUT_SECONDS} s.`) : error;
    throw new NextStepError(keptStep(id), { cause });
  } finally {
    clearInterval(timer);
    await sent; // agents ignore progress that comes after the result
  }
};

/** Creates a check, to its end: after an abort, nobody could erase the check. An unknown result has the key as its next step. */
const create = (client: Client, body: CreateCheckBody, idempotencyKey: string): Promise<CreatedCheck> =>
  client.create(body, { idempotencyKey }).catch((error) => {
    const isRefused = error instanceof ServiceError && (error.status === 429 || !isOutage(error));
    throw isRefused ? error : new NextStepError(lostStep(idempotencyKey), { cause: error });
  });

/** Returns the check as it is at the end of the time. Returns the created check if the service does not answer any more. */
const readUntil = async (client: Client, created: CreatedCheck, waitUntil: number, signal: AbortSignal) =>
  getWithin(client, created.id, secondsUntil(waitUntil), signal).catch((error) => {
    if (error instanceof ServiceError && !isOutage(error))
      throw new NextStepError(keptStep(created.id), { cause: error });
    return created;
  });

/** Returns the check when it is finished, or its present state after some seconds. Reads it at once if there are too many waits. */
export const getWithin = (client: Client, id: string, waitSeconds: number, signal: AbortSignal): Promise<CheckView> =>
  client.get(id, { waitSeconds, signal }).catch((error) => {
    if (!(error instanceof ServiceError && error.retryable)) throw error;
    return client.get(id, { signal });
  });

/** Returns the whole seconds of a wait that ends at the time, from 1 to the longest. */
export const secondsUntil = (waitUntil: number, longest = MAX_WAIT_SECONDS): number =>
  Math.max(1, Math.min(longest, Math.floor((waitUntil - performance.now()) / 1000)));

const firstRegion = async (client: Client, signal: AbortSignal): Promise<string> => {
  const { regions } = await client.regions({ signal });
  const [first] = regions;
  if (!first) throw new Error('The service offers no region.');
  return first.id;
};

const progressOf = (check: CheckView | undefined): string => {
  if (!check) return 'created';
  const sampleOf = ({ state, samples }: CheckView['runs'][number]) =>
    state === 'running' ? sampleText(samples.length, check.samples) : '';
  return check.runs.map((run) => `${run.region} ${run.state} ${sampleOf(run)}`.trimEnd()).join(', ');
};
