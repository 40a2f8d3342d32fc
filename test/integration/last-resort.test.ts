import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { expect, test, vi } from 'vitest';
import { keepAccepting } from '../../infra/local/close-server.ts';

const lastResort = new URL('../../infra/local/last-resort.ts', import.meta.url).href;

test('a fault that nothing handles is logged, releases the runs and ends the process with 1', async () => {
  const script = `
    const { endOnFault } = await import('${lastResort}');
    endOnFault(async () => console.log('released'));
    setInterval(() => {}, 1000);
    Promise.reject(new Error('a fault'));
  `;
  const [code, stdout, stderr] = await new Promise<unknown[]>((resolve) => {
    execFile(process.execPath, ['--input-type=module', '-e', script], (error, ...texts) => {
      resolve([error?.code, ...texts]);
    });
  });
  expect([code, stdout]).toEqual([1, 'released\n']);
  expect(stderr).toMatch(/A fault ends the service\. .*Error: a fault/);
});

test('connections that can not be accepted end no server', () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  const server = createServer();
  keepAccepting(server);
  for (const _ of [1, 2]) server.emit('error', new Error('accept EMFILE'));
  expect(logged).toHaveBeenCalledTimes(2);
});
