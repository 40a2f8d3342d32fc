import { rename, writeFile } from 'node:fs/promises';
import { egressFlags } from '../../functions/auditor/child/browser.ts';
import { prepareChromium } from '../../functions/auditor/host/chromium.ts';
import { withFewerFlags } from '../support/fewer-flags.ts';
import { newFolder, programsOf } from './children.ts';

/** Creates a data folder whose Chromium drops the egress flags. A service on it reaches pages without the proxy. */
export const unguardedData = async (): Promise<string> => {
  const dataDir = newFolder();
  const { executable } = await prepareChromium({ chromiumDir: programsOf(dataDir) });
  const real = `${executable}-guarded`;
  await rename(executable, real);
  const guarding = egressFlags(0).map((flag) => flag.split('=')[0]);
  const script = withFewerFlags(real, guarding.join(' '));
  await writeFile(executable, script, { mode: 0o755 });
  return dataDir;
};
