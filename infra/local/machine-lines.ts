import { machineNow } from '../../functions/lib/audit-host.ts';
import { unguardedLine } from '../../shared/service/guards.ts';
import { unusedProxy } from '../../shared/unused-proxy.ts';

/** Returns the lines that the start prints about the browser, the missing guards and the proxy of this machine. */
export const machineLines = (now = new Date(), env = process.env): string[] => {
  const proxy = unusedProxy({ ...env, NODE_USE_ENV_PROXY: undefined });
  const { chromium, unguarded, outdated } = machineNow(now);
  return [
    ...(chromium?.source === 'installed' ? [`Audits use Chromium ${chromium.version} of this machine.`] : []),
    ...(outdated ? [`! ${outdated}`] : []),
    ...(proxy
      ? [`! Audits don't use the proxy of ${proxy}. They audit pages that this machine reaches directly.`]
      : []),
    ...(unguarded?.length ? [`! ${unguardedLine(unguarded)}`] : []),
  ];
};
