import type { Socket, TcpNetConnectOpts } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { LIMITS } from '../../functions/auditor/egress/proxy.ts';
import { dialFirst } from '../../functions/lib/targets/dial.ts';
import {
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
  request,
  requestFor,
  silent,
} from '../support/egress.ts';

afterEach(cleanUp);

describe('names and servers that fail', () => {
  const rejects = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

  test.each(['ENOTFOUND', 'EAI_AGAIN'])(
    'a lookup that fails with %s is a dns-failure with that reason',
    async (code) => {
      const proxy = await open({ lookup: rejects(code) });
      expect((await request(proxy, 'gone.example.com')).code).toBe(4);
      expect(proxy.lastDecision('gone.example.com', 80)).toMatchObject({ outcome: 'dns-failure', reason: code });
    },
  );

  test('a name without addresses is a dns-failure', async () => {
    const proxy = await open({ lookup: () => [] });
    await request(proxy, 'empty.example.com');
    expect(proxy.decisions).toMatchObject([{ outcome: 'dns-failure', reason: 'ENOTFOUND' }]);
  });

  test('a lookup times out, and its late addresses are not dialled', async () => {
    let found = (_: string[]) => {};
    const lookup = () => new Promise<string[]>((resolve) => (found = resolve));
    const proxy = await open({ lookup, limits: { connectMs: 30 } });
    expect((await request(proxy, 'slow.example.com')).code).toBe(4);
    expect(proxy.decisions).toMatchObject([{ outcome: 'dns-failure', reason: 'ETIMEDOUT' }]);
    found([PUBLIC]);
    await sleep(5);
  });

  test('unresponsive names hold few lookups at once, and a lookup without a waiting client never starts', async () => {
    const lookedUp: string[] = [];
    let answer = (_: string[]) => {};
    const lookup = (host: string) => {
      lookedUp.push(host);
      return host.includes('slow') ? new Promise<string[]>((resolve) => (answer = resolve)) : Promise.resolve([PUBLIC]);
    };
    const proxy = await open({ lookup, connect: dialsTo(await origin()).connect, limits: { connectMs: 100 } });
    const hosts = Array.from({ length: 100 }, (_, n) => `${n}.slow.example.com`);
    await Promise.all(hosts.map((host) => request(proxy, host)));
    expect(lookedUp).toHaveLength(LIMITS.concurrentLookups);
    answer([PUBLIC]);
    await sleep(5);
    expect(lookedUp).toHaveLength(LIMITS.concurrentLookups);
    expect((await request(proxy, 'next.example.com')).code).toBe(0);
    expect(lookedUp.at(-1)).toBe('next.example.com');
  });

  test('a name is resolved once, and again after a failure', async () => {
    const lookup = vi.fn().mockImplementationOnce(rejects('EAI_AGAIN')).mockResolvedValue([PUBLIC]);
    const proxy = await open({ lookup, connect: dialsTo(await origin()).connect });
    expect((await request(proxy, 'a.example.com')).code).toBe(4);
    expect((await request(proxy, 'a.example.com')).code).toBe(0);
    expect((await request(proxy, 'a.example.com', 443)).code).toBe(0);
    expect(lookup).toHaveBeenCalledTimes(2);
    await request(proxy, 'b.example.com');
    expect(lookup).toHaveBeenLastCalledWith('b.example.com');
  });

  test.each([
    ['ENETUNREACH', 3],
    ['EHOSTUNREACH', 4],
    ['ECONNREFUSED', 5],
    ['ETIMEDOUT', 4],
  ])('a dial that fails with %s gets the reply code %i', async (reason, reply) => {
    const proxy = await open({ connect: failing(reason) });
    expect((await request(proxy, 'down.example.com')).code).toBe(reply);
    expect(proxy.decisions).toMatchObject([{ host: 'down.example.com', port: 80, outcome: 'unreachable', reason }]);
  });

  test('the next address is dialled at once after a failure', async () => {
    const { dialled, connect } = dialsTo(await origin());
    const dial = (options: TcpNetConnectOpts) =>
      options.host === PUBLIC ? connect(options) : failing('ENETUNREACH')();
    const down = Array.from({ length: 10 }, (_, i) => `93.184.216.${i + 1}`);
    const proxy = await open({ connect: dial, lookup: () => [...down, PUBLIC] });
    vi.useFakeTimers({ toFake: ['setTimeout'] }); // no head start ends
    expect((await request(proxy, 'many.example.com')).code).toBe(0);
    expect(dialled).toHaveLength(1);
  });

  test('the next address is dialled in parallel with a silent one, and the loser is closed', async () => {
    const { connect } = dialsTo(await origin());
    const quiet = silent();
    const proxy = await open({
      connect: (options) => (options.host === PUBLIC ? connect(options) : quiet),
      lookup: () => [PUBLIC_6, PUBLIC],
    });
    expect((await request(proxy, 'dual.example.com')).code).toBe(0);
    expect(quiet.destroyed).toBe(true);
  });

  test('an address that answers after its head start still wins against one that stays silent', async () => {
    const late = silent();
    setTimeout(() => late.emit('connect'), 350);
    const connect = ({ host }: TcpNetConnectOpts) => (host === PUBLIC_6 ? late : silent());
    expect(await dialFirst([PUBLIC_6, PUBLIC], 80, connect, AbortSignal.timeout(1000))).toBe(late);
    expect(late.destroyed).toBe(false);
  });

  test('no second address is dialled once the first accepts', async () => {
    const { dialled, connect } = dialsTo(await origin());
    const proxy = await open({ connect, lookup: () => [PUBLIC, PUBLIC_6] });
    await request(proxy, 'dual.example.com');
    await sleep(350); // longer than the head start
    expect(dialled).toHaveLength(1);
  });

  test('silent servers time out together', async () => {
    const attempts: Socket[] = [];
    const connect = () => attempts[attempts.push(silent()) - 1] as Socket;
    const proxy = await open({ connect, lookup: () => [PUBLIC_6, PUBLIC], limits: { connectMs: 350 } });
    expect((await request(proxy, 'silent.example.com')).code).toBe(4);
    expect(proxy.decisions).toMatchObject([{ outcome: 'unreachable', reason: 'ETIMEDOUT' }]);
    expect(attempts.map(({ destroyed }) => destroyed)).toEqual([true, true]);
  });

  test('a client that leaves during the dial aborts it without a decision', async () => {
    const attempts: Socket[] = [];
    const connect = () => attempts[attempts.push(silent()) - 1] as Socket;
    const proxy = await open({ connect });
    const client = await raw(proxy);
    client.socket.write(Buffer.concat([GREETING, requestFor(nameBytes('a.example.com'), 80)]));
    await expect.poll(() => attempts).toHaveLength(1);
    client.socket.resetAndDestroy();
    await expect.poll(() => attempts[0]?.destroyed).toBe(true);
    expect(proxy.decisions).toEqual([]);
  });
});
