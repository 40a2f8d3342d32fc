import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { auditVersions } from '../../../shared/audit-versions.ts';
import { chromiumReleasedOn } from '../../../shared/chromium.ts';
import { setAuditHost, setObstacle } from '../../lib/readiness.ts';
import { type Chromium, prepareChromium } from '../host/chromium.ts';
import { resetOwnRank } from '../host/confine.ts';
import { writeNoCoreFiles } from '../host/core-files.ts';
import { requireResources, whyShort } from '../host/free-resources.ts';
import { missingGuards } from '../host/missing-guards.ts';
import { adoptOrphans } from '../host/orphans.ts';
import { auditorUsers, type User, type Users } from '../host/privileges.ts';
import { requireStart } from '../host/sandbox.ts';
import { removeStale } from '../host/stale-entries.ts';
import { trustStoreOf } from '../host/trust-store.ts';
import { NO_BROWSER } from '../stop-rules.ts';
import type { EndedAudit } from './auditor-process.ts';
import { childModule, WORK_DIR_PREFIX } from './fork-child.ts';
import type { sandboxUse } from './sandbox-use.ts';

type Options = {
  chromiumDir: string | undefined;
  chromium: string | undefined;
  extraCaFile: string | undefined;
  sandbox: ReturnType<typeof sandboxUse>;
  /** Called before Chromium is unpacked if auditors need no user of their own. */
  onOwnUser: () => void;
};

/** True if this process may have created work folders. */
let hasStarted = false;

/** Prepares Chromium, and the users that auditors run as, once per machine. */
export const preparedHost = (
  { chromiumDir, chromium: installed, extraCaFile, sandbox, onOwnUser }: Options,
  signal: AbortSignal,
) => {
  let chromium: Promise<Chromium> | undefined;
  let executable: string | undefined;
  let newUser: Users | undefined;

  const start = async (): Promise<Chromium> => {
    setObstacle('auditors', 'Chromium is being unpacked and tested.');
    adoptOrphans();
    writeNoCoreFiles();
    try {
      const ownPid = !hasStarted; // Lambda may reset an instance and keep its temporary folder and its pids
      hasStarted = true;
      if (ownPid) await resetOwnRank();
      await removeStale(tmpdir(), WORK_DIR_PREFIX, { ownPid });
      await testWorkDir();
      if (process.getuid?.() !== 0) onOwnUser();
      const trustStore = await trustStoreOf(extraCaFile, chromiumDir);
      const ready = { ...(await prepareChromium({ chromiumDir, chromium: installed }, signal)), trustStore };
      newUser ??= await auditorUsers([tmpdir(), childModule(), ...packages(), ready.executable]);
      const prefix = `${WORK_DIR_PREFIX}${process.pid}-`;
      await sandbox.test(ready, newUser(), prefix);
      if (sandbox.now() === 'none') await requireStart(ready, newUser(), prefix);
      setObstacle('auditors', whyShort);
      recordHost(ready, () => sandbox.now() !== 'none');
      executable = ready.executable;
      return ready;
    } catch (error) {
      setObstacle('auditors', (error as Error).message);
      throw error;
    }
  };
  const fail = ({ message }: Error): void => {
    chromium = undefined;
    setObstacle('auditors', message);
  };
  return {
    /** Returns the browser of this machine. Throws if the machine can't start it, or has no room for an audit. */
    prepare: async (): Promise<Chromium> => {
      if (executable && !existsSync(executable)) chromium = executable = undefined; // someone has deleted it
      chromium ??= start();
      chromium.catch(() => {
        chromium = undefined; // the next audit retries
      });
      const prepared = await chromium;
      requireResources();
      return prepared;
    },
    /** Records why an audit could not start. The next `prepare` tests the machine again. */
    fail,
    /** Records whether an audit's browser started, and whether it ran in its sandbox. */
    record: ({ end, sandbox: worked }: Pick<EndedAudit, 'end' | 'sandbox'>): void => {
      sandbox.record(worked);
      if (end.how === 'failed' && end.code === NO_BROWSER) fail(new Error(end.message));
    },
    settled: async (): Promise<void> => void (await chromium?.catch(() => {})),
    newUser: (): User | undefined => newUser?.(),
  };
};

/** Records the browser and the missing guards of this machine, for those who ask. */
const recordHost = ({ executable, version, isPackaged }: Chromium, isSandboxed: () => boolean): void => {
  const releasedOn = chromiumReleasedOn(version, statSync(executable).mtime) ?? null;
  const chromium = { version, source: isPackaged ? 'package' : 'installed', releasedOn } as const;
  const missing = missingGuards();
  setAuditHost(() => ({ chromium, unguarded: isSandboxed() ? missing : ['sandbox', ...missing] }));
};

/** Throws if the temporary folder has no room for an auditor's work folder, or is not writable. */
const testWorkDir = async (): Promise<void> => {
  const dir = await mkdtemp(join(tmpdir(), `${WORK_DIR_PREFIX}${process.pid}-`));
  await writeFile(join(dir, 'test'), Buffer.alloc(2 ** 20)).finally(() => rm(dir, { recursive: true }));
};

/** Returns the packages that an auditor imports from its source. A bundle contains them. */
const packages = (): string[] =>
  childModule().endsWith('.ts') ? auditVersions.map((row) => fileURLToPath(import.meta.resolve(row.package))) : [];
