import { log } from '../../lib/log.ts';
import { NoSandboxError, requireSandbox } from '../host/sandbox.ts';
import type { LaunchSettings } from '../messages.ts';

/** `required` refuses to audit without Chromium's sandbox, and `tested` does so if it works on this machine. */
export type SandboxSetting = 'optional' | 'tested' | 'required';

/** Keeps how browsers use Chromium's sandbox. A sandbox that has worked once is required from then on. */
export const sandboxUse = (setting: SandboxSetting, require = requireSandbox) => {
  let use: LaunchSettings['sandbox'] = setting === 'required' ? 'required' : 'optional';
  const giveUp = (reason: string) => {
    use = 'none';
    log.error('Audits run without the sandbox of Chromium. SANDBOX=required refuses them.', { reason });
  };
  return {
    now: (): LaunchSettings['sandbox'] => use,

    /** Tests the sandbox where the service starts. Throws if it is required and does not work. */
    test: async (...browser: Parameters<typeof requireSandbox>): Promise<void> => {
      if (setting === 'optional') return;
      try {
        await require(...browser);
        use = 'required';
      } catch (error) {
        if (use === 'required' || !(error instanceof NoSandboxError)) throw error;
        giveUp(error.message);
      }
    },

    /** Records whether a browser ran in its sandbox. Null if nobody knows. */
    record: (worked: boolean | null): void => {
      if (worked) use = 'required';
      else if (worked === false && use === 'optional') giveUp('Chromium did not start in it.');
    },
  };
};
