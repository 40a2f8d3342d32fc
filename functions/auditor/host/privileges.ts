import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { promisify } from 'node:util';
import { log } from '../../lib/log.ts';

/** One that owns nothing on the machine but what it is given. */
export type User = { uid: number; gid: number };

/** Gives each auditor a user of its own; undefined where it has to be the service's own. */
export type Users = () => User | undefined;

/**
 * Where the service is root, auditors are not: a page that breaks out of its browser may then read neither the service's
 * environment nor its files, nor end another audit. That takes `readable`, all that an auditor needs, to be open to every
 * user; where it is not, or the host allows no other user, auditors stay root, and the log says why.
 */
export const auditorUsers = async (readable: readonly string[]): Promise<Users> => {
  if (process.getuid?.() !== 0) return () => undefined;
  const script = `
    const { accessSync, constants } = require('node:fs');
    for (const path of ${JSON.stringify(readable)}) accessSync(path, constants.R_OK);
  `;
  try {
    await promisify(execFile)(process.execPath, ['-e', script], { ...newUser(), cwd: '/', env: {} });
    return newUser;
  } catch (error) {
    log.warn('auditors run as root, for no other user can run them', { why: (error as Error).message.slice(0, 1000) });
    return () => undefined;
  }
};

/** From the range that systemd keeps for users who come and go (DynamicUser): no account has such a number. */
const newUser = (): User => {
  const id = randomInt(61_184, 65_520);
  return { uid: id, gid: id };
};
