import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Waits } from '../../functions/auditor/cpu-waits.ts';
import type { TraceEvent } from '../../functions/auditor/lighthouse/trace.ts';
import type { AuditVersion } from '../../shared/audit-versions.ts';

/** One audit: its trace as the browser recorded it, the waits of its threads, and all else that its metrics depend on. */
export type RecordedAudit = { events: TraceEvent[]; waits: Waits; artifacts: Record<string, unknown> };
/** Audits of one page by one version: on a machine with a free CPU, and beside a busy loop per CPU. */
export type RecordedWaits = { free: RecordedAudit; busy: RecordedAudit };

const folder = new URL('../recorded/waits/', import.meta.url);
const fileOf = (version: AuditVersion) => new URL(`${version}.json.gz`, folder);

export const readWaits = (version: AuditVersion): RecordedWaits => {
  const { free, busy } = JSON.parse(gunzipSync(readFileSync(fileOf(version))).toString());
  return { free: withEnd(free), busy: withEnd(busy) };
};

/** Older recordings do not have the end of their readings. */
const withEnd = (audit: RecordedAudit): RecordedAudit => ({
  ...audit,
  waits: { ...audit.waits, endUs: audit.waits.endUs ?? Number.POSITIVE_INFINITY },
});

export const writeWaits = (version: AuditVersion, recorded: RecordedWaits): void => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(fileOf(version), gzipSync(JSON.stringify(recorded), { level: 9 }));
};
