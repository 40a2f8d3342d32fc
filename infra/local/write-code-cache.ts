import { chmod, writeFile } from 'node:fs/promises';
import { codeCacheFile, linkedScript } from '../../functions/auditor/lighthouse/linked-release.ts';
import { linkedFileOf } from '../../functions/auditor/lighthouse/modules.ts';
import { importLighthouse } from '../../functions/auditor/lighthouse/run.ts';
import type { AuditVersion } from '../../shared/audit-versions.ts';

/** Writes the code cache of a linked release: all functions that the import of the release has compiled. */
const [folder, version] = process.argv.slice(2) as [string, AuditVersion];
await importLighthouse(version, folder);
const file = linkedFileOf(version, folder);
await writeFile(codeCacheFile(file), linkedScript(file).createCachedData(), { flush: true });
await chmod(codeCacheFile(file), 0o644); // each auditor may run as another user
