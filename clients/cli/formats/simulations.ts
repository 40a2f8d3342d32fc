import type { RunView } from '../../../shared/run.ts';
import { labels, mainMetrics, shownValue } from '../../words/numbers.ts';
import { simulatedMetrics, simulatedRun, simulationColumns, simulationValues } from '../../words/simulations.ts';
import type { CheckResult } from '../run/result.ts';
import { prose, tableOf } from './markdown-syntax.ts';
import { labelled, paint, signed, table, type View, wrap } from './terminal.ts';

const mainOnes = simulatedMetrics.filter((name) => mainMetrics.includes(name));

/** Returns the simulations of each run as text for a terminal. */
export const simulationsText = ({ check: { runs } }: CheckResult, view: View): string[] =>
  runs.flatMap((run) => {
    const region = runs.length > 1 ? `${run.region}: ` : '';
    const loads = run.simulations ?? [];
    if (loads.length === 0) return [];
    const title = wrap(region ? `${region}the same load, simulated` : 'The same load, simulated', view.width);
    const rows = loads.map((load) => {
      const simulated = simulatedRun(run, load);
      const cells = mainOnes.map((name) => {
        const value = shownValue(simulated, name);
        return value ? paint(`${value.sign} ${value.text}`, value.grade, view) : '–';
      });
      return { name: load.name, values: simulationValues(load), cells };
    });
    const wide = table(
      [
        ['', ...simulationColumns, ...mainOnes.map((name) => labels[name])],
        ...rows.map(({ name, values, cells }) => [name, ...values, ...cells]),
      ],
      view,
    );
    const narrow = () =>
      rows.flatMap(({ name, values, cells }) => [
        ...signed('-', `${name}: ${values.map((value, i) => `${simulationColumns[i]} ${value}`).join(', ')}`, view),
        ...mainOnes.flatMap((metric, i) => labelled(labels[metric], cells[i] ?? '', view)),
      ]);
    const reasons = loads.flatMap(({ name, reason }) =>
      reason === null ? [] : signed(paint('!', 'work', view), `${region}${name}: ${reason}`, view),
    );
    return ['', ...title, ...(wide ?? narrow()), ...reasons];
  });

/** Returns the simulations of each run as tables of Markdown. */
export const simulationLines = (
  runs: readonly RunView[],
  signOf: Readonly<Record<NonNullable<ReturnType<typeof shownValue>>['grade'], string>>,
): string[] =>
  runs.flatMap((run) => {
    const loads = run.simulations ?? [];
    if (loads.length === 0) return [];
    const rows = loads.map((load) => {
      const simulated = simulatedRun(run, load);
      const cells = simulatedMetrics.map((name) => {
        const value = shownValue(simulated, name);
        return value ? `${signOf[value.grade]} ${value.text}` : '–';
      });
      return [prose(load.name), ...simulationValues(load), ...cells];
    });
    const header = ['', ...simulationColumns, ...simulatedMetrics.map((name) => labels[name])];
    const reasons = loads.flatMap(({ name, reason }) =>
      reason === null ? [] : [`- ⚠️ ${prose(`${run.region}, ${name}: ${reason}`)}`],
    );
    return [`**The same load, simulated** for ${prose(run.region)}:`, ...tableOf(header, rows), ...reasons, ''];
  });
