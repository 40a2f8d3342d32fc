import type { MeasuredInteraction } from '../interactions/messages.ts';
import type { AuditorMessage, CpuUse } from '../messages.ts';
import type { AuditEvent } from '../stop-rules.ts';

/** Adds what the message lacks: the CPU use, and the Buffers of the files, which IPC sends as plain bytes. */
export const eventOf = (message: AuditorMessage, readCpu: () => CpuUse | null): AuditEvent => {
  if (message.type === 'measured') return { ...message, cpu: readCpu() };
  if (message.type === 'interaction') return { ...message, result: withBuffer(message.result) };
  if (message.type !== 'audited' && message.type !== 'loaded') return message;
  const { summary } = message;
  const artifacts = Object.entries(summary.artifacts ?? {}).map(([name, file]) => [
    name,
    { ...file, gzip: Buffer.from(file.gzip) },
  ]);
  const files = {
    report: Buffer.from(summary.report),
    ...(summary.artifacts && { artifacts: Object.fromEntries(artifacts) }),
  };
  return { ...message, summary: { ...summary, ...files } };
};

const withBuffer = ({ report, ...result }: MeasuredInteraction): MeasuredInteraction => ({
  ...result,
  ...(report && { report: { ...report, gzip: Buffer.from(report.gzip) } }),
});
