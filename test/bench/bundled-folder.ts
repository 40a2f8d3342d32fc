import { mkdirSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { auditorFolder } from '../../infra/local/auditor-bundle.ts';
import { buildAuditor } from '../../infra/local/build-auditor.ts';
import { newFolder, programsOf } from './children.ts';

let built: Promise<string> | undefined;

/** Creates the data folder of a service that has the auditor's bundle, which a service builds when it is idle for the first time. */
export const bundledFolder = async (): Promise<string> => {
  built ??= build();
  const folder = newFolder();
  const bundle = await built;
  mkdirSync(programsOf(folder));
  symlinkSync(bundle, join(programsOf(folder), basename(bundle)));
  return folder;
};

const build = async (): Promise<string> => {
  const bundle = await auditorFolder(newFolder());
  await buildAuditor(bundle);
  return bundle;
};
