import type { AuditOrder } from '../../functions/auditor/messages.ts';
import type { AuditOptions } from '../../shared/options/audit-options-schemas.ts';

type Given = Partial<Omit<AuditOrder, 'options'> & AuditOptions>;

/** Returns the order of an audit with these fields and options. */
export const anOrder = ({
  url = 'https://example.com/',
  auditVersion = '13.5.0',
  skipOptionalParts = false,
  timedOnly,
  alsoBy,
  device = 'mobile',
  ...options
}: Given = {}): AuditOrder => ({
  url,
  auditVersion,
  skipOptionalParts,
  timedOnly,
  alsoBy,
  options: { device, ...options },
});
