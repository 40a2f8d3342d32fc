import { expect, test } from 'vitest';
import { keepPreparing } from '../../infra/local/keep-preparing.ts';

const printedBy = async (results: (string | undefined)[], stopAfter = Infinity) => {
  const printed: string[] = [];
  const stopping = new AbortController();
  let calls = 0;
  const prepare = async () => {
    if (++calls >= stopAfter) stopping.abort();
    const failure = results.shift();
    if (failure) throw new Error(failure);
  };
  await keepPreparing(prepare, (line) => printed.push(line), { signal: stopping.signal, retryMs: 1 });
  return { printed, calls };
};

test('a service that can audit at once prints nothing', async () => {
  expect(await printedBy([undefined])).toEqual({ printed: [], calls: 1 });
});

test('each new reason is printed once, and so is the end of the failures', async () => {
  const { printed } = await printedBy(['The disk is full.', 'The disk is full.', 'A library is missing.', undefined]);
  expect(printed).toEqual([
    expect.stringContaining('The disk is full.'),
    expect.stringContaining('A library is missing.'),
    '✓ The service can audit pages again.',
  ]);
});

test('a service that stops prepares no more', async () => {
  expect(await printedBy(['The disk is full.', 'aborted'], 2)).toMatchObject({
    printed: [expect.anything()],
    calls: 2,
  });
});
