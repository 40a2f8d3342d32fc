import { execFile } from 'node:child_process';
import { compileCache } from './compile-cache.ts';

/** Runs an operator's command as a user does: in its own process and without the environment of the tests. */
export const runCommand = (file: string, dataDir: string, args: string[], env: Record<string, string> = {}) =>
  new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const { PATH = '', HOME = '' } = process.env;
    const all = { ...compileCache, PATH, HOME, DATA_DIR: dataDir, AWS_EC2_METADATA_DISABLED: 'true', ...env };
    const child = execFile(process.execPath, [`infra/operator/${file}`, ...args], { env: all }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
