import type { AuditorMessage, CpuUse } from '../messages.ts';
import type { AuditEvent } from '../stop-rules.ts';

/** Adds what the message lacks: the CPU use, and the Buffers of the files, which IPC sends as plain bytes. */
export const eventOf = (message: AuditorMessage, readCpu: () => CpuUse | null): AuditEvent =>
  message.type === 'measured' ? { ...message, cpu: readCpu() } : (withBuffers(message) as AuditEvent);

const withBuffers = (data: unknown): unknown => {
  if (typeof data !== 'object' || data === null) return data;
  if (data instanceof Uint8Array) return Buffer.from(data);
  if (Array.isArray(data)) return data.map(withBuffers);
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, withBuffers(value)]));
};
