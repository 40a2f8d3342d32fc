import { expect, test } from 'vitest';
import { lighthouseUpdate } from '../bench/engine-files.ts';

test('an update of Lighthouse keeps the newest as the previous minor version, and a patch takes its place', () => {
  const update = (to: string) => lighthouseUpdate(to, '13.5.0', '13.4.1');
  expect(update('13.6.0')).toMatchObject({ newest: '13.6.0', previous: '13.5.0' });
  expect(update('13.10.0')).toMatchObject({ newest: '13.10.0', previous: '13.5.0' });
  expect(update('13.5.1')).toMatchObject({ newest: '13.5.1', previous: '13.4.1' });
});

test.each([
  ['13.5.0', 'is not newer than 13.5.0'],
  ['13.4.9', 'is not newer than 13.5.0'],
  ['14.0.0', 'Add its row'],
  ['latest', 'is no exact version'],
])('an update to %s is refused', (to, message) => {
  expect(() => lighthouseUpdate(to, '13.5.0', '13.4.1')).toThrow(message);
});
