import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { AuditEnv, CorsEnv } from '../../shared/env.ts';
import { allRegions } from '../../shared/regions.ts';
import { startService } from './service.ts';

/** What `npm start` reads from the environment. */
const Settings = z.object({
  PORT: z.coerce.number('a number').int().min(0).max(65535).default(4080),
  DATA_DIR: z.string().min(1).default('.local'),
  AUDITS_AT_ONCE: z.coerce
    .number('a number')
    .int()
    .min(1)
    .max(64)
    .default(Math.max(1, Math.floor(availableParallelism() / 2))),
  TIMED_AT_ONCE: AuditEnv.shape.TIMED_AT_ONCE,
  RETAKES: AuditEnv.shape.RETAKES,
  TARGETS: z.enum(['local', 'public']).default('local'),
  ...CorsEnv.shape,
  LOG_LEVEL: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']).default('ERROR'),
});

const STOP_MS = 10_000;

const fail = (message: string): never => {
  console.error(message);
  process.exit(1);
};

const parsed = Settings.safeParse(process.env);
if (!parsed.success) {
  const wrong = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  fail(`These settings are not as expected:\n${wrong.join('\n')}`);
}
const settings = Settings.parse(process.env);

const service = await startService(
  {
    port: settings.PORT,
    dataDir: resolve(settings.DATA_DIR),
    auditsAtOnce: settings.AUDITS_AT_ONCE,
    targets: settings.TARGETS,
    corsOrigins: settings.CORS_ORIGINS,
    logLevel: settings.LOG_LEVEL,
  },
  (line) => console.log(line),
).catch((error: Error) => fail(error.message));

let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, async () => {
    if (stopping) process.exit(1);
    stopping = true;
    console.log('Stopping: runs at work are given back. Once more stops at once.');
    setTimeout(() => process.exit(1), STOP_MS).unref();
    await service.stop();
    process.exit(0);
  });
}

console.log(`Page audit service: ${service.url}
All ${allRegions.length} regions are this machine. Data in ${settings.DATA_DIR}. ${settings.AUDITS_AT_ONCE} audit(s) at once.
${settings.TARGETS === 'local' ? 'Loopback pages may be audited, each only its own origin (TARGETS=public turns that off).\n' : ''}
Try:
  curl -s ${service.url}/v1/checks -H 'Content-Type: application/json' \\
    -d '{"url": "${settings.TARGETS === 'local' ? `${service.url}/sample` : 'https://example.com/'}", "auditVersion": "latest", "regions": ["us-west1", "europe-north1"]}'
`);
