import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { AuditVersion } from '../../shared/audit-versions.ts';

const folder = new URL('../recorded/reports/', import.meta.url);
const fileOf = (version: AuditVersion) => new URL(`${version}.json.gz`, folder);

/** Returns the recorded report of the faulty page, gzipped. `npm run record` records it. */
export const readReport = (version: AuditVersion): Buffer => readFileSync(fileOf(version));

export const writeReport = (version: AuditVersion, gzip: Buffer): void => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(fileOf(version), gzip);
};
