import { z } from 'zod';
import { AuditOptions } from './audit-options.ts';
import { AuditVersion } from './audit-versions.ts';
import { Region } from './regions.ts';

/** The message on an audit queue. Unknown fields are ignored, so that old auditors take new jobs during a deploy. */
export const AuditJob = z.object({
  checkId: z.uuid(),
  runId: z.uuid(),
  url: z.string(),
  auditVersion: AuditVersion,
  region: Region,
  ...AuditOptions.shape,
  correlationId: z.string(),
});
/** The attribute of the message that names whose run it is: owners take turns. */
export const OWNER_ATTRIBUTE = 'owner';

export type AuditJob = z.infer<typeof AuditJob>;
