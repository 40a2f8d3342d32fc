import { expect, test } from 'vitest';
import { cures } from '../moto/cures.ts';
import { runbookCommands } from '../support/runbook.ts';

test('each command of the runbook that is not called "not tried" has one test on moto, and each test a command', () => {
  const commands = runbookCommands();
  const ofParts = cures.map(([part]) => commands.filter((command) => command.includes(part)));
  expect(ofParts.map((found, i) => (found.length === 0 ? cures[i]?.[0] : undefined)).filter(Boolean)).toEqual([]);
  const counts = new Map(
    commands.map((command) => [command, ofParts.filter((found) => found.includes(command)).length]),
  );
  expect([...counts].filter(([, count]) => count !== 1)).toEqual([]);
  expect(counts.size).toBeGreaterThan(20);
});
