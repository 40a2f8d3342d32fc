import type { Socket, TcpNetConnectOpts } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { dialFirst } from '../../functions/auditor/egress/dial.ts';
import { LIMITS } from '../../functions/auditor/egress/proxy.ts';
import {
  ask,
  cleanUp,
  dialsTo,
  failing,
  GREETING,
  nameBytes,
  open,
  origin,
  PUBLIC,
  PUBLIC_6,
  raw,
  requestFor,
  silent,
} from '../support/egress.ts';

afterEach(cleanUp);

describe('names and servers that fail', () => {
  const rejects = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

  test.each(['ENOTFOUND', 'EAI_AGAIN'])(
    'a look-up that fails with %s is a dns-failure of that reason',
    async (code) => {
      const proxy = await open({ lookup: rejects(code) });
      expect((await ask(proxy, 'gone.example.com')).code).toBe(4);
      expect(proxy.lastDecision('gone.example.com', 80)).toMatchObject({ outcome: 'dns-failure', reason: code });
    },
  );

  test('a name without addresses is a dns-failure', async () => {
    const proxy = await open({ lookup: () => [] });
    await ask(proxy, 'empty.example.com');
    expect(proxy.decisions).toMatchObject([{ outcome: 'dns-failure', reason: 'ENOTFOUND' }]);
  });

  test('a look-up that never ends is given up, and what it finds later is not dialled', async () => {
    let found = (_: string[]) => {};
    const lookup = () => new Promise<string[]>((resolve) => (found = resolve));
    const proxy = await open({ lookup, limits: { connectMs: 30 } });
    expect((await ask(proxy, 'slow.example.com')).code).toBe(4);
    expect(proxy.decisions).toMatchObject([{ outcome: 'dns-failure', reason: 'ETIMEDOUT' }]);
    found([PUBLIC]);
    await sleep(5);
  });

  test('of names that nobody answers for a few are looked up at once, and none for whom nobody waits any more', async () => {
    const asked: string[] = [];
    let answer = (_: string[]) => {};
    const lookup = (host: string) => {
      asked.push(host);
      return host.includes('slow') ? new Promise<string[]>((resolve) => (answer = resolve)) : Promise.resolve([PUBLIC]);
    };
    const proxy = await open({ lookup, connect: dialsTo(await origin()).connect, limits: { connectMs: 100 } });
    const hosts = Array.from({ length: 100 }, (_, n) => `${n}.slow.example.com`);
    await Promise.all(hosts.map((host) => ask(proxy, host)));
    expect(asked).toHaveLength(LIMITS.concurrentLookups);
    answer([PUBLIC]);
    await sleep(5);
    expect(asked).toHaveLength(LIMITS.concurrentLookups);
    expect((await ask(proxy, 'next.example.com')).code).toBe(0);
    expect(asked.at(-1)).toBe('next.example.com');
  });

  test('a name is looked up once, unless that failed', async () => {
    const lookup = vi.fn().mockImplementationOnce(rejects('EAI_AGAIN')).mockResolvedValue([PUBLIC]);
    const proxy = await open({ lookup, connect: dialsTo(await origin()).connect });
    expect((await ask(proxy, 'a.example.com')).code).toBe(4);
    expect((await ask(proxy, 'a.example.com')).code).toBe(0);
    expect((await ask(proxy, 'a.example.com', 443)).code).toBe(0);
    expect(lookup).toHaveBeenCalledTimes(2);
    await ask(proxy, 'b.example.com');
    expect(lookup).toHaveBeenLastCalledWith('b.example.com');
  });

  test.each([
    ['ENETUNREACH', 3],
    ['EHOSTUNREACH', 4],
    ['ECONNREFUSED', 5],
    ['ETIMEDOUT', 4],
  ])('a dial that fails with %s is answered with %i', async (reason, reply) => {
    const proxy = await open({ connect: failing(reason) });
    expect((await ask(proxy, 'down.example.com')).code).toBe(reply);
    expect(proxy.decisions).toMatchObject([{ host: 'down.example.com', port: 80, outcome: 'unreachable', reason }]);
  });

  test('the next address is tried at once when one fails', async () => {
    const { dialled, connect } = dialsTo(await origin());
    const dial = (options: TcpNetConnectOpts) =>
      options.host === PUBLIC ? connect(options) : failing('ENETUNREACH')();
    const proxy = await open({ connect: dial, lookup: () => [PUBLIC_6, PUBLIC] });
    const started = performance.now();
    expect((await ask(proxy, 'dual.example.com')).code).toBe(0);
    expect(performance.now() - started).toBeLessThan(250);
    expect(dialled).toHaveLength(1);
  });

  test('the next address is tried beside one that stays silent, and the loser is hung up', async () => {
    const { connect } = dialsTo(await origin());
    const quiet = silent();
    const proxy = await open({
      connect: (options) => (options.host === PUBLIC ? connect(options) : quiet),
      lookup: () => [PUBLIC_6, PUBLIC],
    });
    expect((await ask(proxy, 'dual.example.com')).code).toBe(0);
    expect(quiet.destroyed).toBe(true);
  });

  test('an address that answers after its head start still wins against one that stays silent', async () => {
    const late = silent();
    setTimeout(() => late.emit('connect'), 350);
    const connect = ({ host }: TcpNetConnectOpts) => (host === PUBLIC_6 ? late : silent());
    expect(await dialFirst([PUBLIC_6, PUBLIC], 80, connect, AbortSignal.timeout(1000))).toBe(late);
    expect(late.destroyed).toBe(false);
  });

  test('the first address to accept is the only one dialled', async () => {
    const { dialled, connect } = dialsTo(await origin());
    const proxy = await open({ connect, lookup: () => [PUBLIC, PUBLIC_6] });
    await ask(proxy, 'dual.example.com');
    await sleep(350); // longer than the head start
    expect(dialled).toHaveLength(1);
  });

  test('servers that stay silent are given up together', async () => {
    const attempts: Socket[] = [];
    const connect = () => attempts[attempts.push(silent()) - 1] as Socket;
    const proxy = await open({ connect, lookup: () => [PUBLIC_6, PUBLIC], limits: { connectMs: 350 } });
    expect((await ask(proxy, 'silent.example.com')).code).toBe(4);
    expect(proxy.decisions).toMatchObject([{ outcome: 'unreachable', reason: 'ETIMEDOUT' }]);
    expect(attempts.map(({ destroyed }) => destroyed)).toEqual([true, true]);
  });

  test('a client that leaves during the dial takes the attempt with it, and nothing was decided', async () => {
    const attempts: Socket[] = [];
    const connect = () => attempts[attempts.push(silent()) - 1] as Socket;
    const proxy = await open({ connect });
    const client = await raw(proxy);
    client.socket.write(Buffer.concat([GREETING, requestFor(nameBytes('a.example.com'), 80)]));
    await vi.waitFor(() => expect(attempts).toHaveLength(1));
    client.socket.resetAndDestroy();
    await vi.waitFor(() => expect(attempts[0]?.destroyed).toBe(true));
    expect(proxy.decisions).toEqual([]);
  });
});
