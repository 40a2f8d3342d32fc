import { z } from 'zod';
import { Region } from '../name-schemas.ts';

/**
 * Message on an audit queue. It carries ids only, because the run in the table says what to audit. The auditor ignores
 * unknown fields, so a deploy may add one.
 */
export const AuditJob = z.object({
  checkId: z.uuid(),
  runId: z.uuid(),
  region: Region,
  correlationId: z.string(),
  owner: z.string(),
  createId: z.string(), // the create of the run
});
export type AuditJob = z.infer<typeof AuditJob>;
