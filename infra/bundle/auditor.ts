import { bundle } from './bundle.ts';
import type { Files } from './files.ts';
import { linkedReleases } from './lighthouse.ts';

/**
 * Returns the files of an auditor: its own code, and each Lighthouse release linked into one file. `folder` is a
 * JavaScript expression for the folder of `node_modules`, from which Lighthouse reads its other files.
 */
export const auditorFiles = async (root: string, folder: string): Promise<Files> => {
  const code = await bundle(root, new Map([['child', "import './functions/auditor/child/child.ts';"]]));
  return new Map([...(code.get('child')?.files ?? []), ...(await linkedReleases(root, folder))]);
};
