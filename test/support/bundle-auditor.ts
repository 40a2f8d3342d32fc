import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { auditorDir } from './auditor-dir.ts';

/** Builds the auditor's bundle before the tests, so that their audits import Lighthouse as fast as a long-running service. */
export const setup = async (): Promise<void> => {
  const builder = fileURLToPath(new URL('../../infra/local/build-auditor.ts', import.meta.url));
  execFileSync(process.execPath, [builder, await auditorDir()], { env: {} }); // as an idle service builds it
};
