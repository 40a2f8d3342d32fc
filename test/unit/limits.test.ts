import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countAudits } from '../../shared/check.ts';
import { MAX_SAMPLES } from '../../shared/options/audit-options.ts';
import { allRegions } from '../../shared/regions.ts';
import {
  type Buckets,
  decideCreate,
  fillBuckets,
  rateLimitHeaders,
  takeTokens,
  type Usage,
} from '../../shared/service/limits.ts';
import { auditLimits, type PlanName, plans } from '../../shared/service/plans.ts';

const t0 = new Date('2031-01-01T00:00:00.000Z');
const t0Plus = (seconds: number) => new Date(t0.getTime() + seconds * 1000);
const take = (buckets: Buckets, audits: number): Buckets => {
  const left = takeTokens(buckets, 'standard', audits);
  if ('limit' in left) throw new Error(`refused for ${left.seconds} s`);
  return left;
};
const full = fillBuckets(undefined, 'standard', t0);

test('a new owner has full buckets', () => {
  expect(full).toEqual({ minute: 60, day: 2000, at: t0.getTime() });
});

test('buckets fill at the rate of their window, up to its quota', () => {
  const empty = take(full, 60);
  expect(empty).toMatchObject({ minute: 0, day: 1940 });
  expect(fillBuckets(empty, 'standard', t0Plus(1)).minute).toBeCloseTo(1);
  expect(fillBuckets(empty, 'standard', t0Plus(30)).minute).toBeCloseTo(30);
  expect(fillBuckets(empty, 'standard', t0Plus(3600))).toMatchObject({ minute: 60 });
  expect(fillBuckets(empty, 'standard', t0Plus(12 * 3600)).day).toBe(2000);
});

test.each([1, 2, 6, 60])('%i refused audits are allowed after exactly the reported seconds', (audits) => {
  for (const plan of Object.keys(plans) as PlanName[]) {
    const wanted = Math.min(audits, plans[plan].auditsPerMinute);
    const empty = { minute: 0, day: 0.25, at: t0.getTime() };
    const refused = takeTokens(empty, plan, wanted);
    if (!('limit' in refused)) throw new Error('allowed');
    expect(takeTokens(fillBuckets(empty, plan, t0Plus(refused.seconds)), plan, wanted)).not.toHaveProperty('limit');
    expect(takeTokens(fillBuckets(empty, plan, t0Plus(refused.seconds - 1)), plan, wanted)).toHaveProperty('limit');
  }
});

test('a refusal reports the limit that takes longest to recover', () => {
  const at = t0.getTime();
  expect(takeTokens({ minute: 0, day: 100, at }, 'standard', 1)).toMatchObject({
    limit: { name: 'auditsPerMinute' },
    seconds: 1,
  });
  expect(takeTokens({ minute: 0, day: 0, at }, 'standard', 1)).toMatchObject({
    limit: { name: 'auditsPerDay' },
    seconds: 44,
  });
});

test('clocks that disagree do not fill a bucket twice', () => {
  const empty = take(full, 60);
  const ahead = take(fillBuckets(empty, 'standard', t0Plus(5)), 5); // a clock that is five seconds ahead
  for (const behind of [0, 1, 4.9]) expect(fillBuckets(ahead, 'standard', t0Plus(behind))).toEqual(ahead);
  expect(fillBuckets(ahead, 'standard', t0Plus(6)).minute).toBeCloseTo(1);
});

test('a changed plan applies from the next request', () => {
  // Another plan stands in for a changed one. A smaller quota applies now, a larger one fills with time.
  expect(fillBuckets(full, 'small', t0Plus(1))).toMatchObject({ minute: 12, day: 200 });
  expect(fillBuckets(take(full, 60), 'large', t0Plus(1)).minute).toBeCloseTo(10);
});

test('the headers report the policy, and the limit closest to exhaustion', () => {
  const policy = '"audits-per-minute";q=60;w=60, "audits-per-day";q=2000;w=86400';
  expect(rateLimitHeaders(take(full, 12), 'standard')).toEqual({
    'ratelimit-policy': policy,
    ratelimit: '"audits-per-minute";r=48;t=1',
  });
  const at = t0.getTime();
  expect(rateLimitHeaders({ minute: 60, day: 3.5, at }, 'standard').ratelimit).toBe('"audits-per-day";r=3;t=22');
  expect(rateLimitHeaders({ minute: 0.99, day: 100, at }, 'standard').ratelimit).toBe('"audits-per-minute";r=0;t=1');
});

test('a check that needs more than a limit takes all of it, and leaves a debt', () => {
  const audits = countAudits({ regions: [...allRegions], samples: MAX_SAMPLES });
  const full = fillBuckets(undefined, 'small', t0);
  const left = takeTokens(full, 'small', audits) as Buckets;
  expect([audits, left.minute, left.day]).toEqual([90, -78, 110]);
  expect(takeTokens({ ...full, minute: 11 }, 'small', audits)).toMatchObject({ seconds: 5 });
  expect(takeTokens(left, 'small', 1)).toMatchObject({ seconds: 395 });
  expect(rateLimitHeaders(left, 'small').ratelimit).toBe('"audits-per-minute";r=0;t=395');
});

test('every plan allows a check in every region', () => {
  for (const { openChecks, webhooks, schedules, ...audits } of Object.values(plans)) {
    for (const quota of Object.values(audits)) expect(quota).toBeGreaterThanOrEqual(allRegions.length);
    expect(audits.auditsPerDay).toBeGreaterThanOrEqual(audits.auditsPerMinute);
    expect(Math.min(openChecks, webhooks, schedules)).toBeGreaterThan(0);
  }
});

test('an unused bucket is full before the usage of its owner expires', () => {
  for (const { seconds } of Object.values(auditLimits)) expect(seconds).toBeLessThanOrEqual(2 * 24 * 3600);
});

describe('a create', () => {
  const at = t0.getTime();
  const nothing: Usage = { buckets: undefined, openChecks: 0 };
  const allowed = (usage: Usage, audits = 1, now = t0) => {
    const decision = decideCreate('standard', audits, now, usage);
    if ('refused' in decision) throw new Error(`refused by ${decision.refused.limit}`);
    return decision.allowed;
  };
  const refused = (usage: Usage, audits = 1, now = t0) => {
    const decision = decideCreate('standard', audits, now, usage);
    if ('allowed' in decision) throw new Error('allowed');
    return decision.refused;
  };

  test('takes a token for each audit', () => {
    expect(allowed(nothing, 6)).toEqual({ buckets: { minute: 54, day: 1994, at }, bounds: undefined });
  });

  test('is refused by the limit that takes longest to recover', () => {
    expect(refused({ buckets: { minute: 2, day: 50, at }, openChecks: 0 }, 6)).toEqual({
      limit: 'auditsPerMinute',
      retryAfterSeconds: 4,
      buckets: { minute: 2, day: 50, at },
    });
    expect(refused({ buckets: { minute: 2, day: 5, at }, openChecks: 0 }, 6)).toMatchObject({
      limit: 'auditsPerDay',
      retryAfterSeconds: 44,
    });
  });

  test('is refused if the open checks reach the limit of the plan', () => {
    expect(refused({ buckets: undefined, openChecks: 100 })).toMatchObject({
      limit: 'openChecks',
      retryAfterSeconds: 10,
    });
    expect(allowed({ buckets: undefined, openChecks: 99 })).toBeDefined();
  });

  test('uses the clock that is ahead: its own or that of the last create, unless that was far ahead', () => {
    const buckets = { minute: 10, day: 10, at: t0Plus(30).getTime() };
    expect(allowed({ buckets, openChecks: 0 })).toMatchObject({
      buckets: { minute: 9, day: 9, at: buckets.at },
    });
    const ofTomorrow = { ...buckets, at: t0Plus(24 * 3600).getTime() };
    expect(allowed({ buckets: ofTomorrow, openChecks: 0 })).toEqual({
      buckets: { ...full, minute: 59, day: 1999 },
      bounds: undefined,
    });
  });

  test('has no bounds if a bucket is full, because a full bucket gains nothing', () => {
    expect(allowed({ buckets: { minute: 59, day: 100, at }, openChecks: 0 }, 1, t0Plus(1)).bounds).toBeDefined();
    expect(allowed({ buckets: { minute: 59, day: 100, at }, openChecks: 0 }, 1, t0Plus(1.1)).bounds).toBeUndefined();
    expect(allowed({ buckets: { minute: 10, day: 1999, at }, openChecks: 0 }, 1, t0Plus(44)).bounds).toBeUndefined();
  });

  const usages = fc.record({
    minute: fc.double({ min: -100, max: 60, noNaN: true }),
    day: fc.double({ min: -100, max: 2000, noNaN: true }),
    seconds: fc.double({ min: 0, max: 200, noNaN: true }),
    audits: fc.integer({ min: 1, max: 6 }),
  });
  const usageOf = (minute: number, day: number): Usage => ({ buckets: { minute, day, at }, openChecks: 0 });

  test('is allowed at its bounds, and refused beyond each of them', () => {
    fc.assert(
      fc.property(usages, ({ minute, day, seconds, audits }) => {
        const decision = decideCreate('standard', audits, t0Plus(seconds), usageOf(minute, day));
        if ('refused' in decision || !decision.allowed.bounds) return;
        const least = decision.allowed.bounds.minTokens;
        const at = (minute: number, day: number) =>
          decideCreate('standard', audits, t0Plus(seconds), usageOf(minute, day));
        expect(at(least.minute + 1e-9, least.day + 1e-9)).toHaveProperty('allowed');
        expect(at(least.minute - 0.01, day)).toHaveProperty('refused');
        expect(at(minute, least.day - 0.01)).toHaveProperty('refused');
      }),
    );
  });

  test('leaves the same tokens, whether it subtracts from the stored ones or writes the buckets', () => {
    fc.assert(
      fc.property(usages, fc.nat(1000), ({ minute, day, seconds, audits }, moreSeconds) => {
        const decision = decideCreate('standard', audits, t0Plus(seconds), usageOf(minute, day));
        if ('refused' in decision || !decision.allowed.bounds) return;
        const later = t0Plus(seconds + moreSeconds);
        const subtracted = fillBuckets({ minute: minute - audits, day: day - audits, at }, 'standard', later);
        const written = fillBuckets(decision.allowed.buckets, 'standard', later);
        expect(subtracted.minute).toBeCloseTo(written.minute, 6);
        expect(subtracted.day).toBeCloseTo(written.day, 6);
      }),
    );
  });
});
