import { allRegions } from '../../shared/regions.ts';
import { commandLine } from './command-line.ts';
import { freeBytes, inMiB } from './data-folder.ts';
import { endOnFault, STOP_MS } from './last-resort.ts';
import { type ServiceSettings, startService } from './service.ts';
import { settingsFrom } from './start-settings.ts';

const REPEAT_MS = 1000; // npm forwards a signal that the terminal also sent to this process

/** `npm start`: runs the whole service on this machine until a signal stops it. */
const main = async (): Promise<void> => {
  const settings = settingsFrom(process.env);
  const service = await startService(settings, (line) => console.log(line));
  endOnFault(service.stop);

  let stoppingSince = 0;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, async () => {
      if (stoppingSince && performance.now() - stoppingSince < REPEAT_MS) return;
      if (stoppingSince) process.exit(1);
      stoppingSince = performance.now();
      console.log(
        'Stopping. Unfinished runs are released and resume after the next start. Press Ctrl-C again to stop at once.',
      );
      setTimeout(() => process.exit(1), STOP_MS).unref();
      await service.stop();
      process.exit(0);
    });
  }
  console.log(greeting(service.url, settings));
};

/** Returns the command without the lines of npm, so that its output is the key alone. */
const silent = (command: string): string => command.replace('npm run ', 'npm run -s ');

const greeting = (url: string, { dataDir, auditsAtOnce, auth, targets, targetsAllow }: ServiceSettings): string => {
  const loopback =
    targets === 'local' &&
    'Pages on this machine can be audited, and may use its other servers. TARGETS=public forbids them.';
  const allowed =
    targetsAllow !== undefined && `Pages on ${targetsAllow} can be audited, and may use all of these hosts.`;
  const keys =
    auth === 'keys' &&
    `Requests need an API key. Create one:\n  KEY=$(${silent(commandLine('keys', 'create --owner me --name "my first key"'))})`;
  const page = targets === 'local' ? `${url}/sample` : 'https://example.com/';
  const shown = [
    `Page audit service: ${url}/ (web page), ${url}/docs (API)`,
    `All ${allRegions.length} regions are this machine. Data is stored in ${dataDir} (${inMiB(freeBytes(dataDir))} free). Up to ${auditsAtOnce} audit(s) at once.`,
    loopback,
    allowed,
    keys,
    '\nCreate a check:',
    `  curl -s ${url}/v1/checks -H 'Content-Type: application/json' ${auth === 'keys' ? '-H "Authorization: Bearer $KEY" ' : ''}\\`,
    `    -d '{"url": "${page}", "auditVersion": "latest", "regions": ["us-west1"]}'\n`,
  ];
  return shown.filter((line) => line !== false).join('\n');
};

await main().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
