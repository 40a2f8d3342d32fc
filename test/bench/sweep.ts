import { startArguments } from '../support/service.ts';
import { newFolder, nextMessage, startNode } from './children.ts';
import type { Part } from './profile.ts';

/** A sweep of due runs: what was due, and how many of them it handled in which time. */
export type Swept = { due: string; items: number; seconds: number; parts: Part[] };

type Options = { items: number; log: (line: string) => void };

/** Measures how many due runs a sweep handles a second on the engines of `npm start`. */
export const measureSweep = async ({ items, log }: Options): Promise<Swept[]> => {
  const folder = newFolder();
  const args = [...startArguments('test/bench/sweep-process.ts'), folder, `${items}`];
  await using child = startNode(args, { folder, ipc: true });
  const swept = await nextMessage<Swept[]>(child);
  for (const each of swept) log(`sweep: ${each.due}: ${(each.items / each.seconds).toFixed(0)} runs a second`);
  return swept;
};
