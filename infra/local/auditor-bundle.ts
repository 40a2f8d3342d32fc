import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashOfSources } from '../bundle/sources.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const builder = fileURLToPath(new URL('build-auditor.ts', import.meta.url));

/** Prefix of the folder of an unfinished bundle. The pid of its process follows. */
export const PART_PREFIX = 'auditor.part-';
export const isBundle = (name: string): boolean => /^auditor-[0-9a-f]{16}$/.test(name);

/** Returns the folder of the auditor's bundle. Its name changes with the sources, with their place, and with V8. */
export const auditorFolder = async (dir: string): Promise<string> => {
  const hash = await hashOfSources(root, ['functions/auditor', 'functions/lib', 'shared', 'infra/bundle']);
  return join(
    dir,
    `auditor-${createHash('sha256').update(`${hash} ${root} ${process.versions.v8}`).digest('hex').slice(0, 16)}`,
  );
};

/** Returns the message of the error that ended the build. `execFile` adds the build's stderr to its own message. */
const causeOf = ({ message }: Error): string => /^\w*Error: (.+)/m.exec(message.replace(/^.*\n/, ''))?.[1] ?? message;

const lowerPriority = (pid: number): void => {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // The process has exited.
  }
};

/** Time without a job after which the build starts. It takes fifteen seconds of CPU time, which an audit would miss. */
const IDLE_MS = 20_000;

/**
 * Builds the auditor's bundle while the service is idle. Auditors run from their source until the bundle exists, and
 * also if the build fails. A job stops the build, and the next idle time restarts it.
 */
export const buildWhenIdle = (folder: string, print: (line: string) => void, idleMs = IDLE_MS) => {
  let jobs = 0;
  let work = new AbortController();
  let failed = false;

  const fail = (error: Error) => {
    failed = true;
    print(
      `Lighthouse could not be bundled, so audits start half a second later. The next start retries. The cause: ${causeOf(error)}`,
    );
  };
  const build = () => {
    const { signal } = work;
    const options = { signal, env: {} }; // the build needs neither our key of the engines nor other settings
    try {
      const child = execFile(process.execPath, [builder, folder], options, (error) => {
        if (error && !signal.aborted) fail(error);
      });
      if (child.pid) lowerPriority(child.pid);
    } catch (error) {
      fail(error as Error); // the machine has no memory for another process
    }
  };
  const wait = () => {
    if (failed || existsSync(folder)) return;
    const { signal } = work;
    const timer = setTimeout(build, idleMs).unref();
    signal.addEventListener('abort', () => clearTimeout(timer));
  };
  const interrupt = () => {
    work.abort();
    work = new AbortController();
  };
  wait();
  return {
    onJob: (phase: 'started' | 'ended'): void => {
      jobs += phase === 'started' ? 1 : -1;
      interrupt();
      if (jobs === 0) wait();
    },
    stop: interrupt,
  };
};
