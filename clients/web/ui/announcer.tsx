import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunView } from '../../../shared/run.ts';
import { isFinished } from '../../../shared/states.ts';
import { useNamer } from './places.ts';

const textOfRun = (name: string, { state, performance, error }: RunView) =>
  state === 'failed' ? `${name} failed: ${error?.code}.` : `${name} finished. Performance ${performance ?? 'unknown'}.`;

/** Announces to a screen reader which regions have finished since the last change. */
export const Announcer = ({ runs }: { runs: readonly RunView[] }) => {
  const known = useRef<Set<string>>(undefined);
  const [text, setText] = useState('');
  const nameOf = useNamer(runs);
  useEffect(() => {
    const done = runs.filter(({ state }) => isFinished(state));
    const news = known.current ? done.filter(({ id }) => !known.current?.has(id)) : [];
    known.current = new Set(done.map(({ id }) => id));
    if (news.length > 0) setText(news.map((run) => textOfRun(nameOf(run.region), run)).join(' '));
  }, [runs]);
  return (
    <p class="hidden" aria-live="polite">
      {text}
    </p>
  );
};
