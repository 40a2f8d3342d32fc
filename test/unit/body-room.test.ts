import { expect, test } from 'vitest';
import { bodyRoom } from '../../infra/local/body-room.ts';

const MIB = 2 ** 20;

test('large bodies together never exceed the room, wait for it in their order, and small ones never wait', async () => {
  const room = bodyRoom(64 * MIB, 60_000);
  const first = await room.take(40 * MIB);
  let isIn = false;
  const second = room.take(40 * MIB).then((leave) => {
    isIn = true;
    return leave;
  });
  const third = room.take(20 * MIB);
  expect(await room.take(1000)).toBeDefined();
  expect(isIn).toBe(false);
  first?.();
  first?.(); // gives its room back once
  expect([await second, await third].every(Boolean)).toBe(true);
  expect(await bodyRoom(MIB, 1).take(2 * MIB)).toBeUndefined();
});

test('an owner whose bodies never end leaves half of the room to the others, who pass its waiting bodies', async () => {
  const room = bodyRoom(64 * MIB, 60_000);
  await room.take(24 * MIB, 'slow');
  let isIn = false;
  const second = room.take(24 * MIB, 'slow').then((leave) => {
    isIn = true;
    return leave;
  });
  const [first, next] = [await room.take(24 * MIB, 'other'), room.take(24 * MIB, 'third')];
  first?.();
  expect(await next).toBeDefined();
  expect(isIn).toBe(false);
  void second;
});
