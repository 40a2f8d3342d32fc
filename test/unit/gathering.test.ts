import { expect, test, vi } from 'vitest';
import { type GatheringRunner, patchGathering } from '../../functions/auditor/lighthouse/gathering.ts';
import { lighthouseModules } from '../../functions/auditor/lighthouse/modules.ts';
import { auditVersions } from '../../shared/audit-versions.ts';

const settings = { settings: {} };
const options = { resolvedConfig: settings, config: settings, computedCache: new Map() };

/** A runner that notes the order of its work, with the errors of a Lighthouse release. */
const runnerOf = async (index: number, steps: string[]): Promise<GatheringRunner> => {
  const version = auditVersions[index]?.version ?? '13.5.0';
  const { Runner, default: only } = await lighthouseModules(version).importCore('runner.js');
  const { getArtifactRuntimeError } = (Runner ?? only) as GatheringRunner;
  return { getArtifactRuntimeError, audit: async () => void steps.push('audits') };
};

test.each(auditVersions.map(({ version }, i) => [version, i] as const))(
  'the browser of version %s closes before the audits, and once, even if the load is judged again',
  async (_, index) => {
    const steps: string[] = [];
    const runner = await runnerOf(index, steps);
    patchGathering(runner, () => void steps.push('browser closes'));
    await runner.audit({ PageLoadError: null }, options);
    await runner.audit({ PageLoadError: null }, options);
    expect(steps).toEqual(['browser closes', 'audits', 'audits']);
  },
);

test('the browser stays if the page failed, because the service asks it why', async () => {
  const onGathered = vi.fn();
  const steps: string[] = [];
  const runner: GatheringRunner = {
    getArtifactRuntimeError: () => ({ code: 'PROTOCOL_TIMEOUT' }),
    audit: async () => void steps.push('audits'),
  };
  patchGathering(runner, onGathered);
  await runner.audit({}, options);
  expect(steps).toEqual(['audits']);
  expect(onGathered).not.toHaveBeenCalled();
});
