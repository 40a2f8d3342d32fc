import { expect, test } from 'vitest';
import { bufferOf, buffersIn } from '../../functions/lib/thread/buffers.ts';

test('a message hands over each large buffer once, also behind a part of it, and never the one that small Buffers share', () => {
  const large = Buffer.allocUnsafeSlow(100_000);
  const value = {
    a: [{ gzip: large.subarray(10, 90_000) }, large],
    small: Buffer.from('shared'),
    text: 'a',
    none: null,
  };
  expect(buffersIn(value)).toEqual([large.buffer]);
  const { a } = structuredClone(value, { transfer: buffersIn(value) });
  expect(bufferOf(a[0] && 'gzip' in a[0] ? a[0].gzip : Buffer.alloc(0)).length).toBe(89_990);
  expect(large.length).toBe(0); // moved, not copied
});
