import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import type { FixableReport } from '../../shared/fixes/report.ts';
import type { FixablePage } from '../pages/fixable.ts';

export type CategoryScores = Record<string, number | null>;
/** The report of a page with a fault, and the scores of the page after its repair, in audits one after the other. */
export type Experiment = {
  version: AuditVersion;
  page: FixablePage;
  report: FixableReport & { categories: Record<string, { score: number | null }> };
  before: CategoryScores[];
  after: CategoryScores[];
};

const file = new URL('../recorded/fixes.json.gz', import.meta.url);

/** Returns the recorded audits of the pages with one fault. `npm run record` records them. */
export const readExperiments = (): Experiment[] => JSON.parse(gunzipSync(readFileSync(file)).toString());

export const writeExperiments = (experiments: readonly Experiment[]): void =>
  writeFileSync(file, gzipSync(JSON.stringify(experiments), { level: 9 }));
