import { useEffect, useState } from 'preact/hooks';
import { type Failure, send, wordedFailureOf } from '../requests/requests.ts';
import { onKeyChange } from './session.ts';

/** Time in which an erasure can be undone, in milliseconds. */
export const UNDO_MS = 8000;

/** The check that its owner has deleted last. It is erased when the time to undo that is over, or the page goes away. */
export type Erasure = { checkId: string; url: string; state: 'waiting' | 'sent' | 'done' | 'failed'; error?: Failure };

let current: Erasure | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
const gone = new Set<string>();
const events = new EventTarget();

const show = (erasure: Erasure | undefined) => {
  current = erasure;
  events.dispatchEvent(new Event('change'));
};

/** Returns the newest erasure, also after it changes. */
export const useErasure = (): Erasure | undefined => {
  const [erasure, setErasure] = useState(current);
  useEffect(() => {
    const update = () => setErasure(current);
    events.addEventListener('change', update);
    return () => events.removeEventListener('change', update);
  }, []);
  return erasure;
};

/** Returns true if the owner has deleted a check in this tab, so that no list shows it. */
export const isDeleted = (checkId: string): boolean => gone.has(checkId);

/** Erases a check after some seconds. Erases an earlier one now. */
export const eraseLater = ({ id, url }: { id: string; url: string }): void => {
  eraseNow();
  gone.add(id);
  timer = setTimeout(eraseNow, UNDO_MS);
  show({ checkId: id, url, state: 'waiting' });
};

/** Keeps the check. Returns its id, or undefined if the service has it erased already. */
export const undoErasure = (): string | undefined => {
  if (current?.state !== 'waiting') return undefined;
  const { checkId } = current;
  clearTimeout(timer);
  gone.delete(checkId);
  show(undefined);
  return checkId;
};

export const forgetErasure = (): void => show(undefined);

/** Erases the check that waits, or that an earlier request failed to erase. The request outlives the page. */
export const eraseNow = async (): Promise<void> => {
  if (current?.state !== 'waiting' && current?.state !== 'failed') return;
  clearTimeout(timer);
  const { checkId, url } = current;
  const tell = (state: Erasure['state'], error?: Failure) =>
    (current === undefined || current.checkId === checkId) && show({ checkId, url, state, ...(error && { error }) });
  tell('sent');
  try {
    await send(`/v1/checks/${checkId}`, { method: 'DELETE', keepalive: true });
    tell('done');
  } catch (thrown) {
    const error = await wordedFailureOf(thrown);
    if (error.kind === 'missing') return void tell('done'); // it was erased or has expired before
    gone.delete(checkId);
    tell('failed', error);
  }
};

if (typeof document !== 'undefined') {
  // A hidden page may end without another event, for example on a phone.
  document.addEventListener('visibilitychange', () => document.hidden && current?.state === 'waiting' && eraseNow());
  addEventListener('pagehide', () => current?.state === 'waiting' && eraseNow());
  onKeyChange((key) => key !== null && current?.error?.kind === 'key' && eraseNow());
}
