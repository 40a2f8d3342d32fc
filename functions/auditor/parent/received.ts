import type { AuditorMessage, CpuUse } from '../messages.ts';
import type { AuditEvent } from '../stop-rules.ts';

/** Adds what the message lacks: the CPU use, and the Buffer of the report, which IPC sends as plain bytes. */
export const eventOf = (message: AuditorMessage, readCpu: () => CpuUse | null): AuditEvent => {
  if (message.type === 'measured') return { ...message, cpu: readCpu() };
  if (message.type !== 'audited') return message;
  return { ...message, summary: { ...message.summary, report: Buffer.from(message.summary.report) } };
};
