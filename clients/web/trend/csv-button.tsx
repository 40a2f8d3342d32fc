import { useState } from 'preact/hooks';
import { useAction } from '../requests/loading.ts';
import { send } from '../requests/requests.ts';
import { ProblemNote } from '../ui/problem.tsx';
import { saveBlob } from '../ui/save-blob.ts';

/** Most pages of a file. A page has up to 100 runs. */
const MAX_PAGES = 100;

/** Saves all runs of a trend as CSV. `filter` has parameters of `GET /v1/runs`. */
export const CsvButton = ({ filter }: { filter: string }) => {
  const [note, setNote] = useState('');
  const state = useAction(async () => {
    setNote('');
    const { texts, isCut } = await readPages(`/v1/runs?${filter}&limit=100`);
    saveBlob(new Blob(texts, { type: 'text/csv' }), 'runs.csv');
    if (isCut) setNote(cutNote(texts));
  });
  const download = () => state.run();
  return (
    <>
      <button type="button" class="small" disabled={state.busy} onClick={download}>
        {state.busy ? 'Reading the runs…' : 'CSV of all runs'}
      </button>
      {state.error && <ProblemNote error={state.error} reload={download} action />}
      <p class="wide" role="status">
        {note}
      </p>
    </>
  );
};

/** Returns the pages of a series, newest runs first. Only the first one has the names of the columns. */
const readPages = async (first: string) => {
  const texts: string[] = [];
  let path: string | undefined = first;
  while (path && texts.length < MAX_PAGES) {
    const answer = await send(path, { accept: 'text/csv' });
    const text = await answer.text();
    texts.push(texts.length === 0 ? text : text.slice(text.indexOf('\r\n') + 2));
    path = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
  }
  return { texts, isCut: path !== undefined };
};

const cutNote = (texts: string[]) => {
  const [oldest = ''] = texts.join('').trimEnd().split('\r\n').at(-1)?.split(',') ?? [];
  return `The file is cut. It has the runs back to ${oldest}. GET /v1/runs with createdBefore=${oldest} has the older ones.`;
};
