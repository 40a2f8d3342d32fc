import type { CheckView } from '../../../shared/check.ts';
import type { CreatedCheck } from '../../api/client.ts';
import type { OnOutage } from '../../api/retries.ts';
import { sampleText } from '../../words/turns.ts';

/** Shows the progress of a command. `end` must be called at the end, also after a failure. */
export type Progress = { onChange: (check: CheckView) => void; onOutage: OnOutage; end: () => Promise<void> };

/** A check, as far as its name in the progress needs it. */
export type NamedCheck = Pick<CreatedCheck, 'id' | 'url' | 'device'>;

export const urlAndDevice = ({ url, device = 'mobile' }: NamedCheck): string => `${url}  ${device}`;

/** Prints each change of a run as a line: seconds since the start, the region if there are several, name of the check and state. */
export const progressLines = (nameOf: (check: NamedCheck) => string, note: (line: string) => void): Progress => {
  const startedAt = performance.now();
  const shown = new Map<string, string>();
  const print = (text: string) => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    note(`${`${seconds} s`.padStart(6)}  ${text}`);
  };
  const onChange = (check: CheckView) => {
    for (const [name, state] of statesOf(check, nameOf(check))) {
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

const statesOf = ({ runs, samples }: CheckView, checkName: string): Map<string, string> =>
  new Map(
    runs.map(({ region, state, samples: taken, error }) => {
      const sample = state === 'running' ? sampleText(taken.length, samples) : '';
      const count = sample && `, ${sample}`;
      const reason = error ? `: ${error.code}` : '';
      const where = runs.length > 1 ? `${region}  ` : '';
      return [`${where}${checkName}`, `${state}${count}${reason}`];
    }),
  );
