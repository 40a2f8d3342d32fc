import { z } from 'zod';
import { AuditVersion, Device } from './name-schemas.ts';
import { OptionsInEnvironment } from './options/audit-options-schemas.ts';
import { ThrottlingValues } from './options/throttling-schemas.ts';

/** Browser and host of a run. A value is null if the audit ended before its measurement, or the host doesn't report it. */
export const Environment = z.object({
  auditVersion: AuditVersion,
  chromium: z.string(),
  sandbox: z
    .boolean()
    .nullable()
    .describe("True if Chromium's own sandbox contained the page's processes. Not every host allows the sandbox."),
  fonts: z.string().nullable().describe('Fingerprint of the fonts.'),
  revision: z
    .int()
    .nullable()
    .describe(
      "Revision of the service's own part of the audit. It rises if an update changes the numbers of an unchanged page.",
    ),
  device: Device.nullable(),
  throttling: z.string().nullable().describe("Lighthouse's `throttlingMethod`."),
  throttlingValues: ThrottlingValues.nullable().describe(
    'Values of the simulation. Null if the audit simulated nothing.',
  ),
  ...OptionsInEnvironment.shape,
  benchmarkIndex: z
    .number()
    .nullable()
    .describe("Lighthouse's CPU benchmark of the host. A desktop has 1,000 or more, a slow phone 150."),
  benchmarkedAt: z.iso
    .datetime()
    .nullable()
    .describe('Time of that benchmark. Audits of one host share it for ten minutes.'),
  cpuCount: z.int().nullable(),
  memoryMiB: z.int().nullable(),
  kernel: z.string().nullable().describe('Release of the operating system.'),
  host: z
    .string()
    .nullable()
    .describe(
      'Fingerprint of the kind of machine: CPU model, number of CPUs and memory. Times from machines of one kind are comparable.',
    ),
  cpuBusy: z
    .number()
    .nullable()
    .describe('Share of CPU time (0 to 1) that processes outside the service used during the timed part of the audit.'),
  cpuStolen: z
    .number()
    .nullable()
    .describe('Share of the busy CPU time (0 to 1) that a hypervisor took for other machines.'),
  cpuWaitMs: z
    .number()
    .nullable()
    .describe(
      "Time in milliseconds in which tasks of the page's main thread could not run, because they waited for a CPU.",
    ),
  corrected: z.boolean().nullable().describe('True if the times are without these waits.'),
  contended: z
    .boolean()
    .nullable()
    .describe(
      'True if the load of the machine may have changed the times, and they could not be corrected. Compare no such run.',
    ),
});
export type Environment = z.infer<typeof Environment>;
