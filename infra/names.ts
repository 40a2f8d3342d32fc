import type { Region } from '../shared/regions.ts';

/** Physical names that another region, or another process, must know without asking. */
export const namesOf = (environment: string) => ({
  service: `page-audit-${environment}`, // in every log line and metric
  table: `page-audit-${environment}`,
  reportBucket: `page-audit-${environment}-reports`,
  /** Bucket names are one space for the whole of AWS: an account's number makes ours its own. */
  reportBucketIn: (account: string) => `page-audit-${environment}-reports-${account}`,
  auditQueue: (region: Region) => `page-audit-${environment}-audits-${region}`,
  deadLetters: (region: Region) => `page-audit-${environment}-lost-audits-${region}`,
  homeFunction: (name: string) => `page-audit-${environment}-${name}`,
  regionFunction: (name: string, region: Region) => `page-audit-${environment}-${name}-${region}`,
  // By this prefix API Gateway needs no entry in the account's one resource policy for logs, whose size is limited.
  accessLog: `/aws/vendedlogs/page-audit-${environment}/access`,
  homeStack: `page-audit-${environment}-home`,
  regionStack: (region: Region) => `page-audit-${environment}-${region}`,
});

export type Names = ReturnType<typeof namesOf>;
