import type { Environment } from '../../shared/environment.ts';
import { noOptions } from '../../shared/options/audit-options-schemas.ts';
import { presets } from '../../shared/options/throttling.ts';

/** How an audit on an idle machine was made. */
export const environment: Environment = {
  auditVersion: '13.5.0',
  chromium: 'HeadlessChrome/153.0.8010.0',
  sandbox: true,
  fonts: '5c1b9a7e',
  revision: 1,
  device: 'mobile',
  throttling: 'simulate',
  throttlingValues: presets.mobile,
  ...noOptions,
  benchmarkIndex: 2733.5,
  benchmarkedAt: '2026-11-25T16:45:12.250Z',
  cpuCount: 2,
  memoryMiB: 4096,
  kernel: '6.1.0',
  host: '08e094f9c233',
  cpuBusy: 0.02,
  cpuStolen: 0,
  cpuWaitMs: 4,
  corrected: false,
  contended: false,
};
