import { useEffect, useState } from 'preact/hooks';
import { useNow } from '../requests/loading.ts';
import type { Failure } from '../requests/requests.ts';
import { Quoted } from './quoted.tsx';

/** Failures after which a view retries. */
const passes: readonly string[] = ['offline', 'failed'];

type NoteProps = {
  error: Failure;
  reload: () => void;
  missing?: string | undefined; // what is missing if the service has no such thing
  action?: boolean;
};

/**
 * A failed request: what failed, what to do, and the request id. The page retries by itself. It retries an action of the
 * user only if the service has refused it for now. The countdown is outside of the alert, so that a screen reader does not read each second.
 */
export const ProblemNote = ({ error, reload, missing, action = false }: NoteProps) => {
  if (error.kind === 'key') {
    return <p class="muted">{action ? 'The page goes on' : 'This part appears'} when you have entered an API key.</p>;
  }
  if (error.kind === 'missing' && missing) {
    return (
      <div class="panel" role="alert">
        <h2>Not found</h2>
        <p>{missing}</p>
        <p>
          <a href="/">Recent checks</a>
        </p>
      </div>
    );
  }
  return (
    <div class="panel problem">
      <div role="alert">
        <h2>
          <Quoted text={error.title} />
        </h2>
        <p>
          <Quoted text={error.message} />
          {passes.includes(error.kind) && !action && ' The page retries by itself.'}
        </p>
      </div>
      {error.kind === 'too-many' && (
        <Countdown key={error} seconds={error.retryAfter ?? 10} onEnd={action ? reload : undefined} />
      )}
      <p class="row">
        <button type="button" onClick={reload}>
          Retry now
        </button>
        {error.requestId && (
          <span class="muted">
            Request id: <code>{error.requestId}</code>
          </span>
        )}
      </p>
    </div>
  );
};

type CountdownProps = { seconds: number; onEnd?: (() => void) | undefined };

/** Counts down to the retry. A view retries by itself, and an action does at the end of the countdown. */
const Countdown = ({ seconds, onEnd }: CountdownProps) => {
  const now = useNow(1000);
  const [end] = useState(() => Date.now() + seconds * 1000);
  useEffect(() => {
    const timer = onEnd && setTimeout(onEnd, seconds * 1000);
    return () => clearTimeout(timer);
  }, []);
  const left = Math.max(0, Math.ceil((end - now) / 1000));
  return (
    <p>
      The page retries in <span class="number">{left} s</span>.
    </p>
  );
};

type PendingProps = Omit<NoteProps, 'error' | 'action'> & { error?: Failure | undefined; rows?: number };

/** A view without data: its skeleton, or its problem. */
export const Pending = ({ error, reload, missing, rows = 6 }: PendingProps) =>
  error ? <ProblemNote error={error} reload={reload} missing={missing} /> : <Skeleton rows={rows} />;

/** Time after which a view without data says so, in milliseconds. */
const LATE = 10_000;

const Skeleton = ({ rows }: { rows: number }) => {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LATE);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="skeleton" role="status">
      {late ? <p>The service has not answered yet. The page waits for it.</p> : <p class="hidden">Loading</p>}
      {Array.from({ length: rows }, () => (
        <span />
      ))}
    </div>
  );
};
