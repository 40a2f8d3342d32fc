import type { RunView } from '../../../shared/run.ts';
import { interactionCells, interactionColumns } from '../../words/interactions.ts';
import type { CheckResult } from '../run/result.ts';
import { prose, tableOf } from './markdown-syntax.ts';
import { labelled, paint, signed, type View, wrap } from './terminal.ts';

const TITLE = 'After the load';

/** Returns the interactions of each run as text for a terminal. */
export const interactionsText = ({ check: { runs } }: CheckResult, view: View): string[] =>
  runs.flatMap((run) => {
    const region = runs.length > 1 ? `${run.region}: ` : '';
    const all = run.interactions ?? [];
    if (all.length === 0) return [];
    const rows = all.flatMap((each) => [
      ...signed('-', each.name, view),
      ...interactionCells(each).flatMap((cell, i) => labelled(interactionColumns[i] ?? '', cell, view)),
      ...(each.reason === null ? [] : signed(paint('!', 'work', view), each.reason, view)),
    ]);
    return ['', ...wrap(`${region}${TITLE}`, view.width), ...rows];
  });

/** Returns the interactions of each run as tables of Markdown. */
export const interactionLines = (runs: readonly RunView[]): string[] =>
  runs.flatMap((run) => {
    const all = run.interactions ?? [];
    if (all.length === 0) return [];
    const rows = all.map((each) => [each.name, ...interactionCells(each)].map(prose));
    const reasons = all.flatMap(({ name, reason }) => (reason === null ? [] : [`- ⚠️ ${prose(`${name}: ${reason}`)}`]));
    return [`**${TITLE}** in ${prose(run.region)}:`, ...tableOf(['', ...interactionColumns], rows), ...reasons, ''];
  });
