import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { requireSound } from './sound-pages.ts';
import { inFolder, unusable } from './unusable.ts';

/** A file of this size is checked in some 30 ms. */
const SMALL_BYTES = 32 * 2 ** 20;

type Options = { print: (line: string) => void; onSound?: () => void; onDamaged?: (error: Error) => void };

/**
 * Throws if the pages of a small database are damaged. A process of its own checks a large one while the service starts, at
 * the lowest priority, and `onDamaged` is called if it finds damage. Returns the function that stops the check.
 */
export const checkPages = (
  path: string,
  { print, onSound = () => {}, onDamaged = throwUnhandled }: Options,
): (() => void) => {
  if (statSync(path).size <= SMALL_BYTES) {
    inFolder(path, () => requireSound(path));
    return () => {};
  }
  const file = fileURLToPath(new URL('sound-pages.ts', import.meta.url));
  const child = spawn(process.execPath, [file, path], { stdio: ['ignore', 'ignore', 'pipe'] });
  let isStopped = false;
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const unchecked = (why: string) => print(`The pages of ${path} were not checked: ${why}. Run check-data instead.`);
  child.on('error', ({ message }) => unchecked(message));
  child.on('close', (code, signal) => {
    if (isStopped) return;
    if (code === 0) onSound();
    else if (/it is damaged/.test(said)) onDamaged(unusable(path, new Error(said.trim())));
    else if (child.pid) unchecked(said.trim() || `the check ended with ${code ?? signal}`);
  });
  return () => {
    isStopped = true;
    child.kill('SIGKILL');
  };
};

/** Lets the process end as after any error that nothing handles. */
const throwUnhandled = (error: Error): void => {
  setImmediate(() => {
    throw error;
  });
};
