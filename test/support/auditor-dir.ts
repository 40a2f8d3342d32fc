import { fileURLToPath } from 'node:url';
import { auditorFolder } from '../../infra/local/auditor-bundle.ts';

/** Returns the folder of the auditor's bundle, which all tests of this working copy share. */
export const auditorDir = (): Promise<string> =>
  auditorFolder(fileURLToPath(new URL('../../node_modules/.cache/page-audit', import.meta.url)));
