import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { listDir, readText } from './processes.ts';

/** Range of ids that systemd reserves for users without an account. A service of systemd may have one while it runs. */
const FIRST = 61_184;
const LAST = 65_519;

/**
 * Returns a function that returns a user and group id without an account, a process or a range of subordinate ids. Each call
 * returns another id until the range is used up. Processes in another PID namespace are invisible, and so is this one to them.
 */
export const freeIds = (root = '/'): (() => number) => {
  let last = randomInt(FIRST, LAST + 1);
  return () => {
    const isTaken = takenIds(root);
    for (let tries = FIRST; tries <= LAST; tries++) {
      last = last === LAST ? FIRST : last + 1;
      if (!isTaken(last)) return last;
    }
    throw new Error(`Each user id from ${FIRST} to ${LAST} is in use. Stop some services of this machine.`);
  };
};

const takenIds = (root: string): ((id: number) => boolean) => {
  const rows = (name: string) => (readText(join(root, 'etc', name)) ?? '').split('\n').map((row) => row.split(':'));
  const accounts = ['passwd', 'group'].flatMap((name) => rows(name).map((fields) => Number(fields[2])));
  const ranges = ['subuid', 'subgid'].flatMap((name) =>
    rows(name).map(([, first, count]) => [Number(first), Number(count)]),
  );
  const running = listDir(join(root, 'proc')).flatMap((pid) =>
    idsOf(readText(join(root, 'proc', pid, 'status')) ?? ''),
  );
  const taken = new Set([...accounts, ...running]);
  return (id) => taken.has(id) || ranges.some(([first = 0, count = 0]) => first <= id && id < first + count);
};

/** Returns the real, effective, saved and file system ids of a process, of its user and its groups. */
const idsOf = (status: string): number[] =>
  [...status.matchAll(/^(?:Uid|Gid|Groups):(.*)$/gm)].flatMap(([, ids = '']) =>
    ids.split(/\s+/).filter(Boolean).map(Number),
  );
