import { machineNow } from '../../functions/lib/audit-host.ts';
import { unguardedLine } from '../../shared/service/guards.ts';
import { unusedProxy, unusedProxyText } from '../../shared/unused-proxy.ts';

/** Returns the lines that the start prints about the browser, the missing guards and the proxy of this machine. */
export const machineLines = (now = new Date(), env = process.env): string[] => {
  const proxy = unusedProxy({ ...env, NODE_USE_ENV_PROXY: undefined });
  const { chromium, unguarded, outdated } = machineNow(now);
  return [
    ...(chromium?.source === 'installed' ? [`Audits use Chromium ${chromium.version} of this machine.`] : []),
    ...(outdated ? [`! ${outdated}`] : []),
    ...(proxy ? [`! ${unusedProxyText(proxy)}`] : []),
    ...(unguarded?.length ? [`! ${unguardedLine(unguarded)}`] : []),
  ];
};
