import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { blockedRequestsIn, exceededLimitsIn } from '../../functions/auditor/egress/decisions.ts';
import { cleanUp, dialsTo, MIB, open, origin, PUBLIC, request } from '../support/egress.ts';

afterEach(cleanUp);

describe('decisions', () => {
  test('equal decisions are counted in one entry, and the newest is last', async () => {
    const proxy = await open({ connect: dialsTo(await origin()).connect });
    const before = performance.now();
    for (const host of ['a.lan', 'a.example.com', 'a.lan']) await request(proxy, host);
    expect(proxy.decisions).toMatchObject([
      { host: 'a.example.com', port: 80, outcome: 'allowed', count: 1 },
      { host: 'a.lan', port: 80, outcome: 'refused', count: 2 },
    ]);
    expect(proxy.decisions[1]?.at).toBeGreaterThanOrEqual(before);
    expect(proxy.decisions[0]).not.toHaveProperty('reason');
  });

  test('the last decision is found by the URL spelling of a host and by port', async () => {
    const lookup = vi.fn().mockRejectedValueOnce(new Error('broken')).mockResolvedValue([PUBLIC]);
    const proxy = await open({ connect: dialsTo(await origin()).connect, lookup });
    await request(proxy, 'a.example.com');
    expect(proxy.lastDecision('A.Example.com.', 80)).toMatchObject({ outcome: 'dns-failure', reason: 'broken' });
    await request(proxy, 'a.example.com');
    expect(proxy.lastDecision('a.example.com', 80)?.outcome).toBe('allowed');
    expect(proxy.lastDecision('a.example.com', 443)).toBeUndefined();
    await request(proxy, '::1');
    expect(proxy.lastDecision('[::1]', 80)?.outcome).toBe('refused');
  });

  test('only decisions about connections over the limit are dropped', async () => {
    const proxy = await open({ limits: { totalConnections: 2, maxOverCaps: 3 } });
    await request(proxy, 'main.lan');
    await request(proxy, 'other.lan');
    for (let flood = 0; flood < 6; flood += 1) await request(proxy, `f${flood}.example.com`);
    expect(proxy.decisions.map(({ host }) => host)).toEqual([
      ...['main.lan', 'other.lan', 'f3.example.com', 'f4.example.com', 'f5.example.com'],
    ]);
  });
});

test('an exceeded limit counts only if it was first exceeded before the end of the measurement', async () => {
  const port = await origin((socket) => socket.end(Buffer.alloc(MIB)));
  const proxy = await open({ connect: dialsTo(port).connect, limits: { connectionBytes: 1000 } });
  const before = performance.now();
  await request(proxy, 'cdn.example.com');
  await expect.poll(() => exceededLimitsIn(proxy.decisions)).toHaveLength(1);
  const after = performance.now();
  await sleep(5);
  await request(proxy, 'cdn.example.com');
  const twice = [{ host: 'cdn.example.com', count: 2 }];
  await expect.poll(() => exceededLimitsIn(proxy.decisions)).toMatchObject(twice);
  expect(exceededLimitsIn(proxy.decisions, after)).toMatchObject([{ reason: 'bytes per connection' }]);
  expect(exceededLimitsIn(proxy.decisions, before - 1)).toEqual([]);
});

describe('blocked requests', () => {
  const decision = {
    host: 'a.example.com',
    port: 80,
    outcome: 'refused',
    reason: 'private address',
    count: 1,
    since: 0,
    at: 0,
  } as const;

  test('are the refused connections with their reason, and no failed or allowed connections', () => {
    const others = (['allowed', 'dns-failure', 'unreachable', 'over-cap'] as const).map((outcome) => ({
      ...decision,
      outcome,
    }));
    expect(blockedRequestsIn([decision, ...others])).toEqual({
      blockedRequests: [{ host: 'a.example.com', port: 80, reason: 'private address', count: 1 }],
      blockedRequestCount: 1,
    });
    expect(blockedRequestsIn([])).toEqual({ blockedRequests: [], blockedRequestCount: 0 });
  });

  test('lists the 50 most frequent targets and counts all requests', () => {
    const decisions = Array.from({ length: 60 }, (_, i) => ({ ...decision, port: i, count: i + 1 }));
    const { blockedRequests, blockedRequestCount } = blockedRequestsIn(decisions);
    expect(blockedRequests.map(({ port }) => port)).toEqual(Array.from({ length: 50 }, (_, i) => 59 - i));
    expect(blockedRequestCount).toBe((60 * 61) / 2);
  });

  test('shortens a long host name', () => {
    const { blockedRequests } = blockedRequestsIn([{ ...decision, host: 'x'.repeat(255) }]);
    expect(blockedRequests[0]?.host).toHaveLength(253);
  });

  test('are counted per host and port', async () => {
    const proxy = await open();
    await request(proxy, 'localhost', 9001);
    await request(proxy, 'localhost', 9001);
    await request(proxy, '10.0.0.1');
    const reason = expect.stringMatching(/special-use/);
    expect(blockedRequestsIn(proxy.decisions)).toEqual({
      blockedRequests: [
        { host: 'localhost', port: 9001, reason, count: 2 },
        { host: '10.0.0.1', port: 80, reason, count: 1 },
      ],
      blockedRequestCount: 3,
    });
  });
});
