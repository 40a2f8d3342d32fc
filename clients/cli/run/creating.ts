import type { CreateCheckBody } from '../../../shared/check.ts';
import type { Client, CreatedCheck } from '../../api/client.ts';
import { isOutage, pause } from '../../api/retries.ts';
import { ServiceError } from '../../api/service-error.ts';
import type { TimeLimit } from './waiting.ts';

/** Pause before the command retries a create if the service names none, in seconds. */
const PAUSE_SECONDS = 8;

type Patience = {
  limit: TimeLimit;
  /** Aborts when the user interrupts the command. */
  signal: AbortSignal;
  idempotencyKey?: string | undefined;
  /** Called before each retry. */
  onWait: (error: ServiceError) => void;
  /** Returns true if the command waits after this error. */
  waitsAfter?: (error: ServiceError) => boolean;
};

/** True if a limit of the plan allows no more audits now. */
export const isPlanLimit = ({ status }: ServiceError): boolean => status === 429;

/** Creates a check. Waits while the service is unreachable or the limits of the key allow no more audits. */
export const createPatiently = async (
  client: Client,
  body: CreateCheckBody,
  { limit, signal, onWait, waitsAfter = isOutage, idempotencyKey = crypto.randomUUID() }: Patience,
): Promise<CreatedCheck> => {
  const isOver = AbortSignal.any([signal, limit.signal]);
  for (;;) {
    try {
      return await client.create(body, { idempotencyKey }); // to its end: after an abort, nobody could erase the check
    } catch (error) {
      if (!(error instanceof ServiceError && waitsAfter(error))) throw error;
      onWait(error);
      await pause((error.retryAfter || PAUSE_SECONDS) * 1000, isOver).catch((reason) => {
        throw signal.aborted ? reason : limit.explained(reason);
      });
    }
  }
};
