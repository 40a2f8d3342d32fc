import type { ServiceSettings } from '../../infra/local/service.ts';
import { testChromium } from './chromium-dir.ts';
import { preparedPrograms } from './service.ts';

/** Returns settings for `startService` in a test: no keys, local targets, a free port and a silent log. */
export const serviceSettings = async (dataDir: string, chromiumDir?: string): Promise<ServiceSettings> => ({
  host: '127.0.0.1',
  port: 0,
  dataDir,
  ...testChromium(),
  chromiumDir: chromiumDir ?? (await preparedPrograms()),
  auditsAtOnce: 1,
  sandbox: 'optional',
  auth: 'open',
  targets: 'local',
  corsOrigins: [],
  retentionDays: 90,
  trendDays: 400,
  logLevel: 'SILENT',
});
