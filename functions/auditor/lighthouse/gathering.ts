import type { Runner } from './simulate.ts';

/** Runs the audits after the gatherers. */
export type GatheringRunner = Runner & {
  /** Returns the error for which the audit has no result. Version 9 returns undefined if there is none. */
  getArtifactRuntimeError(artifacts: object): { code?: string } | undefined;
};

/** Calls `onGathered` before the first audits, unless the page failed to give what they need. Audits need no browser. */
export const patchGathering = (runner: GatheringRunner, onGathered: () => void): void => {
  const { audit } = runner;
  runner.audit = (artifacts, options) => {
    runner.audit = audit; // later calls judge the same load again
    const { code = 'NO_ERROR' } = runner.getArtifactRuntimeError(artifacts) ?? {};
    if (code === 'NO_ERROR') onGathered();
    return audit.call(runner, artifacts, options);
  };
};
