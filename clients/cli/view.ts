import { WriteStream } from 'node:tty';
import type { View } from './formats/terminal.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Stream = { isTTY?: boolean; columns?: number };

/** Columns of an output that is no terminal, or of a terminal that does not know its size. */
const COLUMNS = 80;
/** Fewest columns for rows of progress. */
const MIN_COLUMNS = 40;

/** Returns the width and the colours of stdout. FORCE_COLOR, NO_COLOR and TERM decide as in Node.js. */
export const viewOf = ({ isTTY = false, columns }: Stream, env: Environment): View => ({
  width: columns || COLUMNS,
  color: (isTTY || env.FORCE_COLOR !== undefined) && WriteStream.prototype.hasColors(env),
});

/** Returns true for a terminal that is wide enough for rows, and that can rewrite them. */
export const showsRows = ({ isTTY = false, columns = 0 }: Stream, { TERM }: Environment): boolean =>
  isTTY && columns >= MIN_COLUMNS && TERM !== 'dumb';
