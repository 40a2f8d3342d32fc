import { resolve } from 'node:path';
import { z } from 'zod';
import { MEMORY_BYTES, TIMED_AT_ONCE } from '../../functions/auditor/host/machine.ts';
import { AuditEnv, CorsEnv } from '../../shared/env.ts';
import { allRegions } from '../../shared/regions.ts';
import { startService } from './service.ts';

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

const STOP_MS = 10_000;
const REPEAT_MS = 500; // of one signal: npm passes on what a terminal has sent to all of us
const BYTES_FOR_AN_AUDIT = 4 * 2 ** 30;

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
const { HOST, AUTH } = settings;
const reachable = !/^(localhost|127(\.\d{1,3}){3}|::1)$/.test(HOST); // by others than this machine
if (reachable && AUTH === 'open') {
  fail(
    `HOST=${HOST} lets other machines in, and nobody would need a key. Set AUTH=keys too, or leave HOST at 127.0.0.1.`,
  );
}
const TARGETS = settings.TARGETS ?? (reachable ? 'public' : 'local'); // loopback is this machine's own affair

// One is made ready, or made into a report, while another is measured.
const timedAtOnce = settings.TIMED_AT_ONCE ?? TIMED_AT_ONCE;
const inMemory = Math.floor(MEMORY_BYTES / BYTES_FOR_AN_AUDIT);
const AUDITS_AT_ONCE = settings.AUDITS_AT_ONCE ?? Math.max(timedAtOnce, Math.min(2 * timedAtOnce, inMemory));

const service = await startService(
  {
    host: HOST,
    port: settings.PORT,
    dataDir: resolve(settings.DATA_DIR),
    auditsAtOnce: AUDITS_AT_ONCE,
    auth: AUTH,
    targets: TARGETS,
    corsOrigins: settings.CORS_ORIGINS,
    logLevel: settings.LOG_LEVEL,
  },
  (line) => console.log(line),
).catch((error: Error) => fail(error.message));

let stoppingSince = 0;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, async () => {
    if (stoppingSince && Date.now() - stoppingSince < REPEAT_MS) return;
    if (stoppingSince) process.exit(1);
    stoppingSince = Date.now();
    console.log('Stopping: runs at work are given back. Once more stops at once.');
    setTimeout(() => process.exit(1), STOP_MS).unref();
    await service.stop();
    process.exit(0);
  });
}

const loopback =
  TARGETS === 'local' && 'Loopback pages may be audited, each only its own origin (TARGETS=public turns that off).';
const keys = AUTH === 'keys' && 'A key is needed. To make one: npm run keys -- create --owner me --name "my first key"';
const page = TARGETS === 'local' ? `${service.url}/sample` : 'https://example.com/';
const shown = [
  `Page audit service: ${service.url}`,
  `All ${allRegions.length} regions are this machine. Data in ${settings.DATA_DIR}. ${AUDITS_AT_ONCE} audit(s) at once.`,
  loopback,
  keys,
  '\nTry:',
  `  curl -s ${service.url}/v1/checks -H 'Content-Type: application/json' ${AUTH === 'keys' ? '-H "Authorization: Bearer $KEY" ' : ''}\\`,
  `    -d '{"url": "${page}", "auditVersion": "latest", "regions": ["us-west1", "europe-north1"]}'\n`,
];
console.log(shown.filter((line) => line !== false).join('\n'));
