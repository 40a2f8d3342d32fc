import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunView } from '../../../shared/run.ts';
import { reportLimits } from '../../api/transport.ts';
import { useAction } from '../requests/loading.ts';
import { send } from '../requests/requests.ts';
import { nameOfPlace, usePlaces } from '../ui/places.ts';
import { ProblemNote } from '../ui/problem.tsx';
import { saveBlob } from '../ui/save-blob.ts';

/** The report runs its own script in an origin of its own, which reaches neither this page nor its key. */
const sandbox = 'allow-scripts allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads';
/** An empty page with the policy of a report. All files of the web page are in one folder. */
const frameUrl = new URL('./report-frame.html', import.meta.url).href;

/** Lighthouse's report. A frame sends no API key, so this page reads the report and sends it to the frame. */
type Props = { run: RunView; path: string; variant?: 'against' }; // path of the report

export const Report = ({ run, path, variant }: Props) => {
  const id = variant ? `report-${variant}` : 'report';
  const file = `${run.region}-${run.id}${variant ? `-${variant}` : ''}.json`;
  const { trace, har } = (variant ? run.against : run)?.links ?? {};
  const of = variant ? ' of the second variant' : '';
  const place = nameOfPlace(usePlaces(), run.region);
  const [text, setText] = useState<string>();
  const windows = useReportWindows(text);
  const state = useAction(async () => {
    setText(await (await send(path, { ...reportLimits, follow: true, accept: 'text/html' })).text());
  });
  const isShown = text !== undefined;
  const show = () => (isShown ? setText(undefined) : state.run());
  const name = isShown ? 'Hide the report' : state.busy ? 'Loading the report…' : 'Show the report here';
  return (
    <>
      <h2 id={id}>Lighthouse's report{of}</h2>
      <p class="row">
        <button type="button" aria-expanded={isShown} disabled={state.busy} onClick={show}>
          {name}
        </button>
        {isShown && (
          <button type="button" onClick={() => windows.add(open(frameUrl, '_blank'))}>
            Open it alone
          </button>
        )}
        <Download path={path} name="JSON" file={`lighthouse-${file}`} />
        {trace && <Download path={trace} name="trace" file={`trace-${file}`} />}
        {har && <Download path={har} name="HAR" file={`${file.replace(/json$/, 'har')}`} />}
      </p>
      {state.error && <ProblemNote error={state.error} reload={show} action />}
      {isShown && (
        <iframe
          class="report"
          title={`Lighthouse's report of ${place}${of}`}
          sandbox={sandbox}
          src={frameUrl}
          ref={(frame) => {
            if (frame) windows.add(frame.contentWindow);
          }}
        />
      )}
    </>
  );
};

/** Returns the set of windows that wait for a report. Each gets it once, when its script has started. */
const useReportWindows = (text: string | undefined) => {
  const windows = useRef<Set<MessageEventSource | null>>(new Set());
  useEffect(() => {
    const answer = ({ source }: MessageEvent) => {
      // A window with an opaque origin has no name, so the target is any origin.
      if (windows.current.delete(source)) source?.postMessage(text, { targetOrigin: '*' });
    };
    addEventListener('message', answer);
    return () => removeEventListener('message', answer);
  }, [text]);
  return windows.current;
};

type DownloadProps = { path: string; name: string; file: string };

const Download = ({ path, name, file }: DownloadProps) => {
  const state = useAction(async () => {
    saveBlob(await (await send(path, { ...reportLimits, follow: true })).blob(), file);
  });
  const download = () => state.run();
  return (
    <>
      <button type="button" disabled={state.busy} onClick={download}>
        {state.busy ? 'Downloading…' : `Download the ${name}`}
      </button>
      {state.error && <ProblemNote error={state.error} reload={download} action />}
    </>
  );
};
