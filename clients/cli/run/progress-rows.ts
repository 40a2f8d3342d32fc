import { Listr, ListrLogger, PRESET_TIMER, ProcessOutput } from 'listr2';
import type { CheckView } from '../../../shared/check.ts';
import type { CreatedCheck } from '../../api/client.ts';
import { sampleText } from '../../words/turns.ts';
import { type NamedCheck, outagesOf, type Progress } from './progress.ts';

/** Shows a row for each region of each check in a terminal, with its state and the seconds since its start. */
export const progressRows = (
  created: readonly CreatedCheck[],
  nameOf: (check: NamedCheck) => string,
  stream: NodeJS.WriteStream,
): Progress => {
  const rows = created.flatMap((check) =>
    check.runs.map(({ id, region }) => ({
      id,
      name: `${check.runs.length > 1 ? `${region}  ` : ''}${nameOf(check)}`,
      end: deferred(),
      state: '',
      show: (_title: string): void => {},
    })),
  );
  const tasks = rows.map((row) => ({
    title: row.name,
    task: (_: unknown, task: { title: string }) => {
      row.show = (title) => {
        task.title = title;
      };
      return row.end.promise;
    },
  }));
  const listr = new Listr(tasks, {
    concurrent: true,
    exitOnError: false,
    registerSignalListeners: false, // the command handles signals
    renderer: 'default',
    rendererOptions: {
      timer: PRESET_TIMER,
      formatOutput: 'truncate',
      collapseErrors: false,
      logger: new ListrLogger({ processOutput: new ProcessOutput(stream, stream) }),
    },
  });
  const shown = listr.run();
  return {
    onChange: (check) => {
      for (const run of check.runs) {
        const row = rows.find(({ id }) => id === run.id);
        if (row) showRun(row, run, check.samples);
      }
    },
    onOutage: outagesOf((cause) => {
      for (const row of rows) row.show(cause === undefined ? row.name + row.state : `${row.name}  ${cause} Retrying.`);
    }),
    end: async () => {
      for (const { end } of rows) end.reject(new Error('not finished'));
      await shown;
    },
  };
};

/** Does what `Promise.withResolvers` does, which Node.js 20 lacks. */
const deferred = () => {
  let [resolve, reject]: [() => void, (error: Error) => void] = [() => {}, () => {}];
  const promise = new Promise<void>((...both) => {
    [resolve, reject] = both;
  });
  return { promise, resolve: () => resolve(), reject: (error: Error) => reject(error) };
};

type Row = { name: string; state: string; end: ReturnType<typeof deferred>; show: (title: string) => void };

const showRun = (row: Row, run: CheckView['runs'][number], samples: CheckView['samples']): void => {
  const sample = sampleText(run.samples.length, samples);
  const count = sample && `  ${sample}`;
  if (run.state === 'running') {
    row.state = count;
    row.show(row.name + count);
  }
  if (run.state === 'succeeded') row.end.resolve();
  if (run.state === 'failed') row.end.reject(new Error(run.error?.code ?? 'failed'));
};
