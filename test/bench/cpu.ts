import { setTimeout as pause } from 'node:timers/promises';
import { statFieldsOf } from '../../functions/auditor/host/processes.ts';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { commandOf, pids } from '../support/processes.ts';
import { bundledFolder } from './bundled-folder.ts';
import { startService, succeededCheck } from './service.ts';

/** CPU time in seconds. */
export type CpuSeconds = { user: number; system: number };
/** CPU time of each kind of process, for the service divided by the number of audits. */
export type CpuFigures = { service: CpuSeconds; audits: Record<string, CpuSeconds>[] };

type Options = { pageUrl: string; version: AuditVersion; runs: number; log: (line: string) => void };

const HZ = 100; // of /proc, on all Linux platforms
const EVERY_MS = 25; // a process that exits loses the time since it was last seen
const IDLE_MS = 1500;

/** Measures the CPU time of audits, one after another. Counts each auditor from its start, also if it was started ahead. */
export const measureCpu = async ({ pageUrl, version, runs, log }: Options): Promise<CpuFigures> => {
  await using service = await startService(await bundledFolder());
  const audit = async () => {
    await succeededCheck(service, { url: pageUrl, auditVersion: version, regions: ['us-west1'] }, { pollMs: 200 });
    await pause(IDLE_MS);
  };
  using watch = watchAudits(service.pid);
  await audit(); // warm-up
  const warmUps = watch.audits().length;
  const before = cpuOf(service.pid);
  for (let i = 0; i < runs; i++) {
    await audit();
    log(`cpu: ${i + 1}/${runs}`);
  }
  const after = cpuOf(service.pid);
  return {
    service: { user: (after.user - before.user) / runs, system: (after.system - before.system) / runs },
    audits: watch.audits().slice(warmUps),
  };
};

type Seen = { kind: string; group: number; parent: number; cpu: CpuSeconds };

/** Watches the CPU time of a service's auditors and their browsers. Each auditor leads a process group. */
const watchAudits = (service: number) => {
  const seen = new Map<number, Seen>();
  const look = () => {
    for (const pid of pids()) {
      const [, parent, group] = statFieldsOf(pid).map(Number);
      if (!parent || !group) continue; // it has exited
      const kind = seen.get(pid)?.kind ?? kindOf(commandOf(pid));
      seen.set(pid, { kind, group, parent: seen.get(pid)?.parent ?? parent, cpu: cpuOf(pid) });
    }
  };
  const timer = setInterval(look, EVERY_MS);
  return {
    /** Returns the CPU time of each audit so far by kind of process. An auditor without a browser still waits. */
    audits: (): Record<string, CpuSeconds>[] =>
      [...Map.groupBy(seen.values(), ({ group }) => group)]
        .filter(
          ([leader, members]) => seen.get(leader)?.parent === service && members.some(({ kind }) => kind === 'browser'),
        )
        .map(([, members]) => byKind(members)),
    [Symbol.dispose]: () => clearInterval(timer),
  };
};

const byKind = (members: readonly Seen[]): Record<string, CpuSeconds> => {
  const kinds: Record<string, CpuSeconds> = {};
  for (const { kind, cpu } of members) {
    const { user, system } = kinds[kind] ?? { user: 0, system: 0 };
    kinds[kind] = { user: user + cpu.user, system: system + cpu.system };
  }
  return kinds;
};

/** Returns the kind of a process. Chromium names it in a flag, except for the browser itself. */
const kindOf = (command: string): string => {
  const [, type] = /--type=(\S+)/.exec(command) ?? [];
  if (type) return type === 'gpu-process' ? 'GPU' : type;
  return command.includes('--remote-debugging-pipe') ? 'browser' : 'auditor';
};

const cpuOf = (pid: number): CpuSeconds => {
  const [user = 0, system = 0] = statFieldsOf(pid).slice(11, 13).map(Number);
  return { user: user / HZ, system: system / HZ };
};
