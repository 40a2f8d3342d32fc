import { resolve } from 'node:path';
import { z } from 'zod';
import { MEMORY_BYTES, TIMED_AT_ONCE } from '../../functions/auditor/host/machine.ts';
import { AuditEnv, CorsEnv } from '../../shared/env.ts';
import { InvalidSetting } from '../environments.ts';
import type { ServiceSettings } from './service.ts';

/** What `npm start` reads from the environment. */
const Settings = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: z.coerce.number('a number').int().min(0).max(65535).default(4080),
  DATA_DIR: z.string().min(1).default('.local'),
  AUDITS_AT_ONCE: z.coerce.number('a number').int().min(1).max(64).optional(),
  TIMED_AT_ONCE: AuditEnv.shape.TIMED_AT_ONCE,
  RETAKES: AuditEnv.shape.RETAKES,
  AUTH: z.enum(['open', 'keys']).default('open'),
  TARGETS: z.enum(['local', 'public']).optional(),
  ...CorsEnv.shape,
  LOG_LEVEL: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']).default('ERROR'),
});

const BYTES_FOR_AN_AUDIT = 4 * 2 ** 30;

/** The settings of `npm start`. Throws a InvalidSetting that says what would be right. */
export const settingsFrom = (env: Record<string, string | undefined>): ServiceSettings => {
  const parsed = Settings.safeParse(env);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new InvalidSetting(`These settings are not as expected:\n${wrong.join('\n')}`);
  }
  const settings = parsed.data;
  const { HOST, AUTH } = settings;
  const reachable = !/^(localhost|127(\.\d{1,3}){3}|::1)$/.test(HOST); // by others than this machine
  if (reachable && AUTH === 'open') {
    throw new InvalidSetting(
      `HOST=${HOST} lets other machines in, and nobody would need a key. Set AUTH=keys too, or leave HOST at 127.0.0.1.`,
    );
  }

  // One is made ready, or made into a report, while another is measured.
  const timedAtOnce = settings.TIMED_AT_ONCE ?? TIMED_AT_ONCE;
  const inMemory = Math.floor(MEMORY_BYTES / BYTES_FOR_AN_AUDIT);
  return {
    host: HOST,
    port: settings.PORT,
    dataDir: resolve(settings.DATA_DIR),
    auditsAtOnce: settings.AUDITS_AT_ONCE ?? Math.max(timedAtOnce, Math.min(2 * timedAtOnce, inMemory)),
    auth: AUTH,
    targets: settings.TARGETS ?? (reachable ? 'public' : 'local'), // loopback is this machine's own affair
    corsOrigins: settings.CORS_ORIGINS,
    logLevel: settings.LOG_LEVEL,
  };
};
