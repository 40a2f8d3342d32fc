import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { BYTES_PER_AUDIT, FEWEST_BYTES, MEMORY_BYTES, TIMED_AT_ONCE } from '../../functions/auditor/host/machine.ts';
import { faultOfEntry } from '../../functions/lib/targets/allowed-hosts.ts';
import { extraAuthorities } from '../../functions/lib/targets/extra-ca.ts';
import { CorsEnv, CruxUrl, TargetsEnv } from '../../shared/service/env.ts';
import { InvalidSettingError } from '../environments.ts';
import type { ServiceSettings } from './service.ts';

export const wholeNumber = (min: number, max: number) => {
  const message = `Use a whole number from ${min} to ${max}.`;
  return z.coerce.number(message).int(message).min(min, message).max(max, message);
};
export const oneOf = <const Values extends string[]>(...values: Values) =>
  z.enum(values, { error: `Use one of ${values.join(', ')}.` });

/** Hosts that may be audited although they are not public. */
export const TargetsAllow = TargetsEnv.shape.TARGETS_ALLOW.superRefine((entries, context) => {
  for (const fault of entries.map(faultOfEntry)) if (fault) context.addIssue(fault);
});

/** PEM file of the certificate authorities that the service trusts in addition to the public ones. */
export const ExtraCaFile = z
  .string()
  .transform((file) => resolve(file))
  .superRefine((file, context) => {
    try {
      extraAuthorities(file);
    } catch (error) {
      context.addIssue((error as Error).message);
    }
  })
  .optional();

/** An installed browser. The start looks for it. */
export const Chromium = z.string().min(1, 'Use the path of a Chromium, or auto.').optional();

/** Environment variables of `npm start`. Every message says which values a variable accepts. */
export const Settings = z.object({
  HOST: z.string().min(1, 'Use an address of this machine, such as 127.0.0.1.').default('127.0.0.1'),
  PORT: wholeNumber(0, 65535).default(4080),
  DATA_DIR: z.string().min(1, 'Use the path of a folder, such as .local.').default('.local'),
  CHROMIUM: Chromium,
  CHROMIUM_DIR: z.string().min(1, 'Use the path of a folder, such as .chromium.').optional(),
  AUDITS_AT_ONCE: wholeNumber(1, 64).optional(),
  TIMED_AT_ONCE: wholeNumber(1, 64).optional(),
  SANDBOX: oneOf('tested', 'optional', 'required').default('tested'),
  AUTH: oneOf('open', 'keys').default('open'),
  TARGETS: oneOf('local', 'public').optional(),
  TARGETS_ALLOW: TargetsAllow,
  EXTRA_CA_FILE: ExtraCaFile,
  ...CorsEnv.shape,
  RETENTION_DAYS: wholeNumber(1, 3650).optional(),
  TREND_DAYS: wholeNumber(1, 3650).optional(),
  REGION_PLACE: z
    .string()
    .trim()
    .regex(/^.{1,60}$/, 'Use a place of 1 to 60 characters, such as Berlin, Germany.')
    .default('this machine'),
  CRUX_API_KEY: z
    .string()
    .regex(/^[\w-]{1,200}$/, 'Use a key of the Chrome UX Report API. It has letters, digits, - and _ only.')
    .optional(),
  CRUX_API_URL: CruxUrl,
  LOG_LEVEL: oneOf('DEBUG', 'INFO', 'WARN', 'ERROR').default('ERROR'),
});

/** Processes and threads for one audit. At most 149 were measured. */
const PROCESSES_PER_AUDIT = 256;

/**
 * Returns how many audits run at once. While one is measured, another can be prepared or its report written. Memory and
 * the limit of processes bound both: a container may have many CPUs of its host and little of the rest.
 */
export const auditsAtOnceFrom = (
  { AUDITS_AT_ONCE, TIMED_AT_ONCE: timed = TIMED_AT_ONCE }: AuditCounts,
  { memoryBytes = MEMORY_BYTES, processes = processLimit() } = {},
): number => {
  const measured = Math.min(timed, Math.floor(memoryBytes / FEWEST_BYTES));
  const all = Math.max(measured, Math.min(2 * timed, Math.floor(memoryBytes / BYTES_PER_AUDIT)));
  return AUDITS_AT_ONCE ?? Math.max(1, Math.min(all, Math.floor(processes / PROCESSES_PER_AUDIT)));
};

/** Returns the limit of processes and threads of this container, or Infinity. */
const processLimit = (): number => {
  try {
    return Number(readFileSync('/sys/fs/cgroup/pids.max', 'utf8')) || Infinity; // "max" is no number
  } catch {
    return Infinity; // no cgroup of version 2
  }
};
type AuditCounts = { AUDITS_AT_ONCE?: number | undefined; TIMED_AT_ONCE?: number | undefined };

/** Throws an InvalidSettingError that lists every wrong setting. `what` did not start. */
export const throwInvalid = (what: string, { issues }: z.ZodError): never => {
  const wrong = issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new InvalidSettingError(
    `${what} did not start, because these settings are invalid. Correct or unset them:\n${wrong.join('\n')}`,
  );
};

/** Returns the settings of `npm start`. Throws an InvalidSettingError if a variable is invalid. */
export const settingsFrom = (env: Record<string, string | undefined>): ServiceSettings => {
  const parsed = Settings.safeParse(env);
  if (!parsed.success) return throwInvalid('The service', parsed.error);
  const settings = parsed.data;
  const { HOST, AUTH } = settings;
  const reachable = !/^(localhost|127(\.\d{1,3}){3}|::1)$/.test(HOST); // from other machines
  if (reachable && AUTH === 'open') {
    throw new InvalidSettingError(
      `With HOST=${HOST} other machines can use the service without a key. Set AUTH=keys too, or leave HOST at 127.0.0.1.`,
    );
  }
  if (AUTH === 'open' && settings.CORS_ORIGINS.includes('*')) {
    throw new InvalidSettingError(
      'With CORS_ORIGINS=* every web page that a browser on this machine opens can read all checks without a key. Name the origins in CORS_ORIGINS, or set AUTH=keys too.',
    );
  }

  return {
    host: HOST,
    port: settings.PORT,
    dataDir: resolve(settings.DATA_DIR),
    ...(settings.CHROMIUM && { chromium: settings.CHROMIUM }),
    ...(settings.CHROMIUM_DIR && { chromiumDir: resolve(settings.CHROMIUM_DIR) }),
    auditsAtOnce: auditsAtOnceFrom(settings),
    ...(settings.TIMED_AT_ONCE !== undefined && { timedAtOnce: settings.TIMED_AT_ONCE }),
    sandbox: settings.SANDBOX,
    auth: AUTH,
    targets: settings.TARGETS ?? (AUTH === 'open' ? 'local' : 'public'), // a key holder may be elsewhere
    ...(settings.TARGETS_ALLOW.length > 0 && {
      targetsAllow: settings.TARGETS_ALLOW.map(({ text }) => text).join(','),
    }),
    ...(settings.PUBLIC_URL && { publicUrl: settings.PUBLIC_URL }),
    ...(settings.EXTRA_CA_FILE && { extraCaFile: settings.EXTRA_CA_FILE }),
    corsOrigins: settings.CORS_ORIGINS,
    retentionDays: settings.RETENTION_DAYS ?? 90,
    trendDays: settings.TREND_DAYS ?? settings.RETENTION_DAYS ?? 400, // who shortens the retention means everything
    regionPlace: settings.REGION_PLACE,
    ...(settings.CRUX_API_KEY && { crux: { key: settings.CRUX_API_KEY, url: settings.CRUX_API_URL } }),
    logLevel: settings.LOG_LEVEL,
  };
};
