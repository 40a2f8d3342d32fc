import { prepareChromium } from '../../functions/auditor/host/chromium.ts';
import { auditorFolder } from './auditor-bundle.ts';
import { buildAuditor } from './build-auditor.ts';
import { programFolder } from './program-folder.ts';

/** Unpacks Chromium and bundles Lighthouse ahead, for the image of a container. Throws if Chromium does not start. */
const folder = programFolder(undefined, '.', console.log);
await prepareChromium({ chromiumDir: folder });
await buildAuditor(await auditorFolder(folder));
