import { expect, test } from 'vitest';
import { badgeFace } from '../../functions/lib/badges/badge-face.ts';
import type { ListedRun } from '../../functions/lib/store/lists.ts';

const now = new Date('2026-11-27T12:00:00.000Z');
const ago = (days: number) => new Date(now.getTime() - days * 24 * 3600 * 1000).toISOString();
const run = (fields: Partial<ListedRun> = {}) =>
  ({ checkId: 'newest', createdAt: ago(1), state: 'succeeded', performance: 92, seo: 80, ...fields }) as ListedRun;
const earlier = (fields: Partial<ListedRun> = {}) => run({ checkId: 'earlier', createdAt: ago(2), ...fields });
const face = (runs: ListedRun[], category: Parameters<typeof badgeFace>[1] = 'performance') => {
  const { label, message, color, isError } = badgeFace(runs, category, now);
  return { text: `${label} ${message}`, color, isError };
};

test.each([
  [100, 'brightgreen'],
  [90, 'brightgreen'],
  [89, 'orange'],
  [50, 'orange'],
  [49, 'red'],
  [0, 'red'],
])('a performance of %i is %s', (performance, color) => {
  expect(face([run({ performance })])).toEqual({ text: `performance ${performance}`, color, isError: false });
});

test('a badge shows the lowest region of the newest check, and the score of its category', () => {
  const runs = [run({ performance: null }), run({ performance: 71 }), run(), run({ state: 'failed' }), earlier()];
  expect(face(runs).text).toBe('performance 71');
  expect(face(runs, 'seo')).toEqual({ text: 'seo 80', color: 'orange', isError: false });
});

test.each<[string, ListedRun[]]>([
  ['no result', []],
  ['failed', [run({ state: 'failed' }), run({ state: 'failed' }), earlier()]],
  ['older than 30 days', [run({ createdAt: ago(30.1) })]],
  ['older than 30 days', [run({ createdAt: ago(40), state: 'failed' })]],
  ['older than 30 days', [run({ contended: true }), earlier({ createdAt: ago(31) })]],
  ['not measured', [run({ performance: null })]],
  ['the machine was busy', [run({ contended: true })]],
])('a badge without a score is grey and says: %s', (message, runs) => {
  expect(face(runs)).toEqual({ text: `performance ${message}`, color: 'lightgrey', isError: true });
});

test('a performance score of a busy machine does not count, and its other scores do', () => {
  const runs = [run({ performance: 31, seo: 90, contended: true }), earlier({ performance: 93 })];
  expect(face(runs).text).toBe('performance 93');
  expect(face(runs, 'seo').text).toBe('seo 90');
});
