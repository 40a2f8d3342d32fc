import { MIN_SECONDS, nextReadingAt } from '../../api/retries.ts';
import type { Answer } from '../../api/transport.ts';
import { type Failure, wordedFailureOf } from './requests.ts';

/** Time until the retry of a failed request, in seconds. The last one repeats. */
const FAILURE_SECONDS = [2, 5, 10];
/** Time between two readings of a hidden tab, in seconds. Its title then shows the end of a check. */
const HIDDEN_SECONDS = 15;
/** Failures that a retry can end. */
const passing: readonly string[] = ['offline', 'too-many', 'failed'];

/** Reads once. If `waits` is false, the answer must come at once, for example to learn that the connection is back. */
export type Load<Data> = (last: { etag: string; signal: AbortSignal; waits: boolean }) => Promise<Answer<Data>>;

type Following<Data> = {
  isFinished: (data: Data) => boolean;
  show: (data: Data) => void;
  /** The shown data is still true. */
  confirm: () => void;
  fail: (error: Failure) => void;
  refreshSeconds?: number; // time until the next reading; a hidden tab does not read
  signal: AbortSignal;
};

/**
 * Reads until the data is finished. Everything that the page reads repeatedly, it reads here: no request is sent before
 * the time that `Retry-After` of the last answer names.
 */
export const follow = async <Data>(
  load: Load<Data>,
  { isFinished, show, confirm, fail, refreshSeconds = 0, signal }: Following<Data>,
): Promise<void> => {
  let etag = '';
  for (let failures = 0; !signal.aborted; ) {
    const sentAt = performance.now();
    try {
      const { data, headers } = await load({ etag, signal, waits: failures === 0 });
      if (signal.aborted) return;
      if (data !== undefined) {
        show(data);
        if (isFinished(data)) return;
        etag = headers.get('etag') ?? '';
      } else confirm();
      failures = 0;
      const earliest = nextReadingAt(headers, sentAt, refreshSeconds);
      const latest = document.hidden ? Math.max(earliest, performance.now() + HIDDEN_SECONDS * 1000) : earliest;
      await pause({ earliest, latest, onlyVisible: refreshSeconds > 0, signal });
    } catch (thrown) {
      const error = await wordedFailureOf(thrown);
      if (signal.aborted) return;
      fail(error);
      const { kind, retryAfter } = error;
      if (!passing.includes(kind)) return;
      const now = performance.now();
      const seconds = retryAfter ?? FAILURE_SECONDS[failures] ?? 10;
      const latest = now + Math.max(MIN_SECONDS, seconds) * 1000;
      await pause({ earliest: kind === 'offline' ? now + MIN_SECONDS * 1000 : latest, latest, signal });
      failures += 1;
    }
  }
};

/**
 * Resolves at the latest time, or when the signal aborts. If the connection returns or the tab becomes visible, resolves
 * at the earliest time: browsers delay the timers of hidden tabs.
 */
const pause = ({
  earliest,
  latest,
  onlyVisible = false,
  signal,
}: {
  earliest: number;
  latest: number;
  onlyVisible?: boolean;
  signal: AbortSignal;
}): Promise<void> =>
  new Promise((resolve) => {
    const done = new AbortController();
    const end = () => {
      clearTimeout(timer);
      done.abort();
      resolve();
    };
    const endIfWanted = () => (onlyVisible && document.hidden) || end();
    const endAt = (time: number) => setTimeout(endIfWanted, Math.max(0, time - performance.now()));
    let timer = endAt(latest);
    const hurry = () => {
      clearTimeout(timer);
      timer = endAt(earliest);
    };
    addEventListener('online', hurry, { signal: done.signal });
    document.addEventListener('visibilitychange', () => document.hidden || hurry(), { signal: done.signal });
    signal.addEventListener('abort', end, { signal: done.signal });
  });
