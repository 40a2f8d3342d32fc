import { useState } from 'preact/hooks';
import { useAction } from './loading.ts';
import { readBody } from './requests.ts';

type Part = { nextCursor: string | null };

/** Loads the parts of a list after the first one, on request. `path` identifies the list. */
export const useRest = <Loaded extends Part>(path: string, first: Loaded | undefined) => {
  const [kept, keep] = useState({ path, parts: [] as Loaded[] });
  const rest = kept.path === path ? kept.parts : []; // a new filter starts again
  const parts = first ? [first, ...rest] : [];
  const cursor = parts.at(-1)?.nextCursor;
  const { busy, error, run } = useAction(async () => {
    const next = await readBody<Loaded>(`${path}&cursor=${encodeURIComponent(cursor ?? '')}`);
    keep({ path, parts: [...rest, next] });
  });
  return { parts, cursor, busy, error, load: () => run() };
};
