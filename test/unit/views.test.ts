import { expect, test } from 'vitest';
import { asCreated, type Check, CheckView, checkView } from '../../shared/check.ts';
import { Run, runView } from '../../shared/run.ts';
import { aCheck } from '../support/world.ts';

/** Fields of the stored items that no client may see, and one that a later change may add. */
const privateFields = { owner: 'acme', token: 't', lease: { id: 'l', until: 'u' }, dueAt: 'd', addedLater: 'x' };

/** A check with fields that only the store knows, on the check and on each run. */
const storedCheck = (): Check => {
  const check = aCheck({ device: 'desktop' });
  return { ...check, ...privateFields, runs: check.runs.map((run) => ({ ...run, ...privateFields })) };
};

test('a run shows the fields of its schema, in their order, and no other stored field', () => {
  for (const run of storedCheck().runs) expect(Object.keys(runView(run))).toEqual(Object.keys(Run.shape));
});

test('a check shows the fields of its schema and no other stored field', () => {
  const shown = checkView(storedCheck());
  const unset = ['samples', 'categories'];
  const expected = Object.keys(CheckView.shape).filter((name) => !unset.includes(name));
  expect(Object.keys(shown).sort()).toEqual(expected.sort());
  for (const run of shown.runs) expect(Object.keys(run)).toEqual(Object.keys(Run.shape));
});

test('the answer to a create shows the inputs that were sent and no other stored field', () => {
  const created = asCreated(storedCheck());
  expect(Object.keys(created)).toEqual(['id', 'auditVersion', 'url', 'regions', 'device', 'runs']);
  for (const run of created.runs) expect(Object.keys(run)).toEqual(['id', 'region', 'state']);
});
