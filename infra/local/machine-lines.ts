import { machineNow } from '../../functions/lib/audit-host.ts';
import { unguardedLine } from '../../shared/service/guards.ts';

/** Returns the lines that the start prints about the browser and the missing guards of this machine. */
export const machineLines = (now = new Date()): string[] => {
  const { chromium, unguarded, outdated } = machineNow(now);
  return [
    ...(chromium?.source === 'installed' ? [`Audits use Chromium ${chromium.version} of this machine.`] : []),
    ...(outdated ? [`! ${outdated}`] : []),
    ...(unguarded?.length ? [`! ${unguardedLine(unguarded)}`] : []),
  ];
};
