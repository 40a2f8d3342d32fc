import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest, in this order. Vitest starts them first in their project, because a long file that starts
 * last runs alone. Vitest knows the durations itself only on a machine that has run the tests before.
 */
const longest = [
  ...['clients/cli', 'integration/keys-command', 'integration/disk-errors', 'integration/backup'],
  ...['simulation/simulation', 'integration/data-folder'],
  ...['infra/load', 'infra/environments', 'unit/cpu-meter', 'unit/comparison-rates', 'unit/auditor-process'],
  ...['all/audit/hostile-pages', 'all/bundle/audit-bundle', 'all/clients/command-service', 'all/audit/exits'],
  ...['all/audit/service-restart', 'all/audit/reported-pages', 'all/audit/service', 'all/clients/web-tasks'],
  ...['all/audit/hardening', 'all/audit/egress-flags', 'all/audit/ssrf-cases', 'all/audit/audit-options'],
  ...['all/bundle/api-bundles', 'all/clients/web-states', 'all/clients/web-page'],
].map((name) => `/test/${name}.test.ts`);

/** Sorts the test files of each project so that the longest start first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const projects = Map.groupBy(await super.sort(files), ({ project }) => project.name);
    return [...projects.values()].flatMap((ofProject) => ofProject.toSorted((a, b) => rank(a) - rank(b)));
  }
}

const rank = ({ moduleId }: TestSpecification): number => {
  const found = longest.findIndex((name) => moduleId.endsWith(name));
  return found === -1 ? longest.length : found;
};
