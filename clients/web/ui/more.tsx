import type { useRest } from '../requests/rest.ts';
import { ProblemNote } from './problem.tsx';

type Props = { rest: Pick<ReturnType<typeof useRest>, 'cursor' | 'busy' | 'error' | 'load'>; label: string };

/** The button that loads the next part of a list, if there is one. */
export const More = ({ rest: { cursor, busy, error, load }, label }: Props) => (
  <>
    {error && <ProblemNote error={error} reload={load} action />}
    {cursor && (
      <p class="center">
        <button type="button" disabled={busy} onClick={load}>
          {label}
        </button>
      </p>
    )}
  </>
);
