import type { CheckView } from '../../shared/check.ts';
import type { OnOutage } from '../api/retries.ts';

/** Shows the progress of a command. `end` must be called at the end, also after a failure. */
export type Progress = { onChange: (check: CheckView) => void; onOutage: OnOutage; end: () => Promise<void> };

/** Prints each change of a run as a line: seconds since the start, region, page and state. */
export const progressLines = (note: (line: string) => void): Progress => {
  const startedAt = performance.now();
  const shown = new Map<string, string>();
  const print = (text: string) => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    note(`${`${seconds} s`.padStart(6)}  ${text}`);
  };
  const onChange = (check: CheckView) => {
    for (const [name, state] of statesOf(check)) {
      if (shown.get(name) === state) continue;
      shown.set(name, state);
      print(`${name}  ${state}`);
    }
  };
  const onOutage = outagesOf((cause) =>
    print(cause === undefined ? 'The service answers again.' : `${cause} The command retries until its timeout.`),
  );
  return { onChange, onOutage, end: async () => {} };
};

/** Calls `show` with the cause when an outage begins and with undefined when it ends, whichever wait detects it first. */
export const outagesOf = (show: (cause: string | undefined) => void): OnOutage => {
  let shown: string | undefined;
  return (error) => {
    if ((error === undefined) === (shown === undefined)) return;
    shown = error?.message;
    show(shown);
  };
};

const statesOf = ({ url, runs, device, samples = 1 }: CheckView): Map<string, string> =>
  new Map(
    runs.map(({ region, state, samples: taken, error }) => {
      const count = samples > 1 && state === 'running' ? `, ${taken.length} of ${samples} samples` : '';
      const reason = error ? `: ${error.code}` : '';
      return [`${region}  ${url}  ${device ?? 'mobile'}`, `${state}${count}${reason}`];
    }),
  );
