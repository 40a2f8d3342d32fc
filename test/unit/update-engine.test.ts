import { expect, test } from 'vitest';
import { lighthouseUpdate } from '../bench/engine-files.ts';

test('an update of Lighthouse keeps the newest as the previous minor version, and a patch takes its place', () => {
  const update = (to: string) => lighthouseUpdate(to, '20.5.0', '20.4.1');
  expect(update('20.6.0')).toMatchObject({ newest: '20.6.0', previous: '20.5.0' });
  expect(update('20.10.0')).toMatchObject({ newest: '20.10.0', previous: '20.5.0' });
  expect(update('20.5.1')).toMatchObject({ newest: '20.5.1', previous: '20.4.1' });
});

test.each([
  ['20.5.0', 'is not newer than 20.5.0'],
  ['20.4.9', 'is not newer than 20.5.0'],
  ['21.0.0', 'Add its row'],
  ['latest', 'is no exact version'],
])('an update to %s is refused', (to, message) => {
  expect(() => lighthouseUpdate(to, '20.5.0', '20.4.1')).toThrow(message);
});
