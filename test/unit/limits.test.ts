import { expect, test } from 'vitest';
import { type Buckets, filled, rateLimitHeaders, taken } from '../../shared/limits.ts';
import { type PlanName, plans } from '../../shared/plans.ts';
import { allRegions } from '../../shared/regions.ts';

const t0 = new Date('2031-01-01T00:00:00.000Z');
const after = (seconds: number) => new Date(t0.getTime() + seconds * 1000);
const take = (buckets: Buckets, runs: number): Buckets => {
  const left = taken(buckets, 'standard', runs);
  if ('limit' in left) throw new Error(`not before ${left.seconds} s`);
  return left;
};
const full = filled(undefined, 'standard', t0);

test('an owner who has never asked has all that the plan allows', () => {
  expect(full).toEqual({ minute: 60, day: 2000, at: t0.getTime() });
});

test('what is taken comes back at the rate of the window, and no more than it', () => {
  const empty = take(full, 60);
  expect(empty).toMatchObject({ minute: 0, day: 1940 });
  expect(filled(empty, 'standard', after(1)).minute).toBeCloseTo(1);
  expect(filled(empty, 'standard', after(30)).minute).toBeCloseTo(30);
  expect(filled(empty, 'standard', after(3600))).toMatchObject({ minute: 60 });
  expect(filled(empty, 'standard', after(12 * 3600)).day).toBe(2000);
});

test.each([1, 2, 6, 60])('%i runs that are refused are allowed after exactly the seconds that were told', (runs) => {
  for (const plan of Object.keys(plans) as PlanName[]) {
    const wanted = Math.min(runs, plans[plan].runsPerMinute);
    const empty = { minute: 0, day: 0.25, at: t0.getTime() };
    const refused = taken(empty, plan, wanted);
    if (!('limit' in refused)) throw new Error('it was allowed');
    expect(taken(filled(empty, plan, after(refused.seconds)), plan, wanted)).not.toHaveProperty('limit');
    expect(taken(filled(empty, plan, after(refused.seconds - 1)), plan, wanted)).toHaveProperty('limit');
  }
});

test('the limit that keeps a create waiting longest is the one that is told', () => {
  const at = t0.getTime();
  expect(taken({ minute: 0, day: 100, at }, 'standard', 1)).toMatchObject({ limit: { name: 'minute' }, seconds: 1 });
  expect(taken({ minute: 0, day: 0, at }, 'standard', 1)).toMatchObject({ limit: { name: 'day' }, seconds: 44 });
});

test('clocks that disagree fill a bucket once, and never twice', () => {
  const empty = take(full, 60);
  const ahead = take(filled(empty, 'standard', after(5)), 5); // a clock that is five seconds ahead
  for (const behind of [0, 1, 4.9]) expect(filled(ahead, 'standard', after(behind))).toEqual(ahead);
  expect(filled(ahead, 'standard', after(6)).minute).toBeCloseTo(1);
});

test('a plan that was changed counts from the next request on', () => {
  // Another plan stands for it: less allowed holds at once, more comes with time.
  expect(filled(full, 'small', after(1))).toMatchObject({ minute: 12, day: 200 });
  expect(filled(take(full, 60), 'large', after(1)).minute).toBeCloseTo(10);
});

test('the headers tell the policy, and of the nearest limit what is left and until when', () => {
  const policy = '"minute";q=60;w=60, "day";q=2000;w=86400';
  expect(rateLimitHeaders(take(full, 12), 'standard')).toEqual({
    'ratelimit-policy': policy,
    ratelimit: '"minute";r=48;t=1',
  });
  const at = t0.getTime();
  expect(rateLimitHeaders({ minute: 60, day: 3.5, at }, 'standard').ratelimit).toBe('"day";r=3;t=22');
  expect(rateLimitHeaders({ minute: 0.99, day: 100, at }, 'standard').ratelimit).toBe('"minute";r=0;t=1');
});

test('every plan allows a check of every region', () => {
  for (const { runsPerMinute, runsPerDay, openChecks } of Object.values(plans)) {
    expect(runsPerMinute).toBeGreaterThanOrEqual(allRegions.length);
    expect(runsPerDay).toBeGreaterThanOrEqual(runsPerMinute);
    expect(openChecks).toBeGreaterThan(0);
  }
});
