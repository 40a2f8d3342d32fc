import type { ChildProcess } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';
import { type AuditVersion, auditVersion } from '../../../shared/audit-versions.ts';
import { reservePort } from '../../lib/targets/audit-ports.ts';
import { type EgressProxy, openEgressProxy } from '../egress/proxy.ts';
import type { HostSettings, LaunchSettings } from '../messages.ts';
import { inFolder, sendTo } from './fork-child.ts';

/** The parent's side of an auditor's browser: the ports that only this browser uses, and the settings of its start. */
export const auditorBrowser = (version: AuditVersion, workDir: Promise<string>) => {
  let opening: ReturnType<typeof openPorts> | undefined;
  let starting: Promise<void> | undefined;
  let ahead: HostSettings | undefined;
  let hasOrder = false;

  /** Opens the ports once. The proxy allows nothing yet. */
  const open = async (host: HostSettings): Promise<{ settings: LaunchSettings; proxy: EgressProxy }> => {
    opening ??= openPorts(version);
    const [dir, { proxy, debugging }] = await Promise.all([workDir, opening]);
    return { settings: { ...inFolder(dir, host), proxyPort: proxy.port, debuggingPort: debugging?.port }, proxy };
  };
  const start = async (host: HostSettings, ready: Promise<ChildProcess>): Promise<void> => {
    const [auditor, { settings }] = await Promise.all([ready, open(host)]);
    if (hasOrder) return;
    ahead = host;
    sendTo(auditor, { ahead: settings });
  };
  return {
    /** Opens the ports for the order. No browser starts ahead afterwards. */
    forOrder: (host: HostSettings) => {
      hasOrder = true;
      return open(host);
    },
    /** Starts the browser once, when the auditor is ready, unless its order comes first. */
    startAhead: (host: HostSettings, ready: Promise<ChildProcess>): Promise<void> => {
      starting ??= start(host, ready);
      return starting;
    },
    isAhead: (): boolean => ahead !== undefined,
    /** Returns true if an audit with these settings can use the browser, or if there is none yet. */
    isFor: (host: HostSettings): boolean => !ahead || isDeepStrictEqual(ahead, host),
    close: async (): Promise<void> => {
      const ports = await opening?.catch(() => undefined); // an audit has reported the cause
      ports?.debugging?.release();
      await ports?.proxy.close();
    },
  };
};

const openPorts = async (version: AuditVersion) => ({
  debugging: auditVersion(version).acceptsPage ? undefined : await reservePort(),
  proxy: await openEgressProxy(),
});
