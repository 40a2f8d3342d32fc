import { Listr, ListrLogger, PRESET_TIMER, ProcessOutput } from 'listr2';
import type { CheckView } from '../../../shared/check.ts';
import type { Context } from '../context.ts';
import { outagesOf, type Progress, urlAndDevice } from '../run/progress.ts';

/** Shows how many of many checks are finished. */
export type CountingProgress = Pick<Progress, 'onOutage' | 'end'> & {
  finished: (check: CheckView) => void;
  /** Counts a page that has no check. */
  skipped: () => void;
  /** Says which limit of the plan the command waits for. */
  onLimit: (message: string) => void;
};

/** Prints a line for each finished check, such as `12 of 50`, or counts in one row of a terminal. */
export const countingProgress = (total: number, { terminal, note }: Pick<Context, 'terminal' | 'note'>) => {
  let done = 0;
  const row = terminal ? rowIn(terminal) : undefined;
  const startedAt = performance.now();
  const limits = new Set<string>();
  const print = (text: string) => {
    if (row) return row.show(`${done} of ${total}  ${text}`);
    note(`${`${Math.round((performance.now() - startedAt) / 1000)} s`.padStart(6)}  ${text}`);
  };
  row?.show(`0 of ${total}`);
  return {
    finished: (check) => {
      done += 1;
      const text = `${urlAndDevice(check)}  ${check.state}`;
      print(row ? text : `${done} of ${total}  ${text}`);
    },
    skipped: () => {
      done += 1;
    },
    onLimit: (message) => {
      const [limit = message] = message.split(' Retry in ');
      if (!limits.has(limit) || row) print(`${limit} The command waits for it.`);
      limits.add(limit);
    },
    onOutage: outagesOf((cause) =>
      print(cause === undefined ? 'The service answers again.' : `${cause} The command retries until its timeout.`),
    ),
    end: async () => row?.end(),
  } satisfies CountingProgress;
};

/** Shows one row in a terminal, with the seconds since its start. */
const rowIn = (stream: NodeJS.WriteStream) => {
  let show = (_: string): void => {};
  let end = (): void => {};
  const work = new Promise<void>((resolve) => {
    end = resolve;
  });
  const task = (_: unknown, row: { title: string }) => {
    show = (title) => {
      row.title = title;
    };
    return work;
  };
  const shown = new Listr([{ title: 'Audits', task }], {
    registerSignalListeners: false, // the command handles signals
    renderer: 'default',
    rendererOptions: {
      timer: PRESET_TIMER,
      formatOutput: 'truncate',
      logger: new ListrLogger({ processOutput: new ProcessOutput(stream, stream) }),
    },
  }).run();
  return {
    show: (title: string) => show(title),
    end: async () => {
      end();
      await shown;
    },
  };
};
