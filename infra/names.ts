import type { Region } from '../shared/regions.ts';

/** Physical names that another region, or another process, must know without asking. */
export const namesOf = (environment: string) => ({
  table: `page-audit-${environment}`,
  reportBucket: `page-audit-${environment}-reports`,
  auditQueue: (region: Region) => `page-audit-${environment}-audits-${region}`,
  deadLetters: (region: Region) => `page-audit-${environment}-lost-audits-${region}`,
});
