import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { log } from '../../lib/log.ts';
import { freeIds } from './free-ids.ts';

/** A user without an account, who owns only the files that the service gives to it. */
export type User = { uid: number; gid: number };

/** Returns a new user for each auditor, or undefined if auditors run as the service's user. */
export type Users = () => User | undefined;

/**
 * Prepares other users for auditors if the service is root. A page that breaks out of its browser can then neither read the
 * service's environment and files nor kill another audit. Every user must be able to read the `readable` paths. Otherwise
 * auditors run as root, and the function logs the reason.
 */
export const auditorUsers = async (readable: readonly string[]): Promise<Users> => {
  if (process.getuid?.() !== 0) return () => undefined;
  const freeId = freeIds();
  const newUser = (): User => {
    const id = freeId();
    return { uid: id, gid: id };
  };
  const script = `
    const { accessSync, constants } = require('node:fs');
    for (const path of ${JSON.stringify(readable)}) accessSync(path, constants.R_OK);
  `;
  try {
    await promisify(execFile)(process.execPath, ['-e', script], { ...newUser(), cwd: '/', env: {} });
    return newUser;
  } catch (error) {
    log.warn('Auditors run as root, because other users cannot run them. See infra/SECURITY.md.', {
      why: (error as Error).message.slice(0, 1000),
    });
    return () => undefined;
  }
};
