import type { Region } from '../shared/regions.ts';

/**
 * Returns the physical names of an environment. Other regions and processes use these names without a lookup. On AWS the
 * table's name has a generation, because CloudFormation creates a replacement while the old table has its name.
 */
export const namesOf = (environment: string, tableGeneration?: number) => ({
  service: `page-audit-${environment}`, // in every log line and metric
  table: `page-audit-${environment}${tableGeneration === undefined ? '' : `-${tableGeneration}`}`,
  reportBucket: `page-audit-${environment}-reports`,
  /** Bucket names are global in AWS, so the account id makes this name unique. */
  reportBucketIn: (account: string) => `page-audit-${environment}-reports-${account}`,
  auditQueue: (region: Region) => `page-audit-${environment}-audits-${region}`,
  deadLetters: (region: Region) => `page-audit-${environment}-lost-audits-${region}`,
  deliveryQueue: `page-audit-${environment}-deliveries`,
  lostDeliveries: `page-audit-${environment}-lost-deliveries`,
  homeFunction: (name: string) => `page-audit-${environment}-${name}`,
  regionFunction: (name: string, region: Region) => `page-audit-${environment}-${name}-${region}`,
  // With this prefix API Gateway needs no entry in the account's resource policy for logs, which has a size limit.
  accessLog: `/aws/vendedlogs/page-audit-${environment}/access`,
  workerLogs: (region: Region) => `/page-audit/${environment}/workers-${region}`,
  edgeStack: `page-audit-${environment}-edge`,
  homeStack: `page-audit-${environment}-home`,
  regionStack: (region: Region) => `page-audit-${environment}-${region}`,
});

export type Names = ReturnType<typeof namesOf>;
