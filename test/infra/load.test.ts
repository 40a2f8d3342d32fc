import { afterEach, expect, test, vi } from 'vitest';
import * as logging from '../../functions/lib/log.ts';
import { allRegions, type Region } from '../../shared/regions.ts';
import { firedAlarms, metricRecorder } from '../simulation/fired-alarms.ts';
import { type Load, runLoad } from '../simulation/load.ts';
import { seededRandom } from '../simulation/random.ts';
import { FULL } from '../support/full.ts';
import { synthesized } from './support.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
/** Runs a second of 100 million a month. */
const RUNS_PER_SECOND = 39;
const SECONDS_OF_AN_AUDIT = 6;
/** Writes in the 35 s of a sweep, at 400 a second. */
const WRITES_PER_SWEEP = 35 * 400;
/** Shares of the loads. `LOAD=full` runs the whole loads for hours. */
const sizes = {
  small: { burst: 1 / 50, pause: 1 / 250, day: 1 / 50, million: 1 / 50 },
  large: { burst: 1 / 10, pause: 1 / 10, day: 1 / 50, million: 1 / 20 },
  full: { burst: 1, pause: 1, day: 1, million: 1 / 20 },
};
const size = process.env.LOAD === 'full' ? 'full' : FULL ? 'large' : 'small';
const shares = sizes[size];
const LIMIT_MS = size === 'small' ? 300_000 : 12 * HOUR * 1000;

const prod = synthesized('prod');
const { environment, home, regionStacks } = prod;
afterEach(() => vi.restoreAllMocks());

/** Creates this many checks a second, evenly, until a second. */
const evenly = (perSecond: number, until: number, regionsOf: (nth: number) => readonly Region[]) => ({
  until,
  creates: (second: number) => {
    if (second >= until) return [];
    const [from, to] = [Math.floor(second * perSecond), Math.floor((second + 1) * perSecond)];
    return Array.from({ length: to - from }, (_, i) => regionsOf(from + i));
  },
});

/** Runs a share of a load in an environment, by default prod, with the same share of its workers. Returns what it did, and the alarms that fired. */
const simulate = async (
  share: number,
  load: Pick<Load, 'creates' | 'until' | 'auditsAtOnce'> & Partial<Load>,
  { environment, home, regionStacks } = prod,
) => {
  const metrics = metricRecorder();
  const emit = vi.spyOn(logging, 'emit');
  emit.mockImplementation((name, value, dimensions) => metrics.add(name, dimensions, value));
  const result = await runLoad(
    {
      random: seededRandom(1),
      openShards: environment.openShards,
      receives: () => true,
      ...load,
      creates: (second) => {
        emit.mockClear(); // it would keep each call
        return load.creates(second);
      },
      writesPerSweep: WRITES_PER_SWEEP * share,
      queueName: environment.names.auditQueue,
    },
    metrics,
  );
  console.log(result);
  expect(result).toMatchObject({ closed: result.checks, openItems: 0 });
  const loaded = regionStacks.filter(({ stackName }) => result.regions.some((region) => stackName.endsWith(region)));
  return { ...result, alarms: firedAlarms([home, ...loaded], metrics, result.endedAt) };
};

test(
  'a burst of 50,000 checks sends each job once, and its backlog ends as fast as the workers allow',
  async () => {
    const share = shares.burst;
    const regions = size === 'small' ? allRegions.slice(0, 1) : allRegions;
    const auditsAtOnce = environment.auditsAtOnce * share;
    const checksPerSecond = 50 * share;
    const result = await simulate(share, { ...evenly(checksPerSecond, 1000, () => regions), auditsAtOnce });
    expect(result.runs).toBe(50_000 * share * regions.length);
    expect(result.jobs / result.runs).toBeLessThan(1.1);
    expect(result.looks).toBeLessThan(result.checks / 100);
    expect(result.endedAt).toBeLessThan((1.02 * result.auditSeconds) / (auditsAtOnce * regions.length));
    expect(result.alarms).toEqual(['home-RunsWait']);
  },
  LIMIT_MS,
);

test(
  'a region of 39 runs a second that is paused for two hours sends each job once, and catches up as fast as its workers allow',
  async () => {
    const share = shares.pause;
    const [from, until] = [HOUR / 2, (5 * HOUR) / 2];
    const auditsAtOnce = 500 * share;
    const created = evenly(RUNS_PER_SECOND * share, 4 * HOUR, () => ['us-west1']);
    const receives = (second: number) => second < from || second >= until;
    const result = await simulate(share, { ...created, receives, auditsAtOnce });
    expect(result.jobs / result.runs).toBeLessThan(1.1);
    expect(result.looks).toBeLessThan(result.checks / 100);
    const runsSince = result.runs - from * RUNS_PER_SECOND * share;
    expect(result.endedAt - until).toBeLessThan((1.05 * runsSince * SECONDS_OF_AN_AUDIT) / auditsAtOnce);
    expect(result.alarms).toEqual(['home-RunsWait']);
  },
  LIMIT_MS,
);

test(
  'a day of 39 runs a second over all regions sends each job once, looks at no check and fires no alarm',
  async () => {
    const share = shares.day;
    const until = size === 'small' ? HOUR / 2 : DAY;
    const oneOf = (nth: number) => [allRegions[nth % allRegions.length] as Region];
    const result = await simulate(share, {
      ...evenly(RUNS_PER_SECOND * share, until, oneOf),
      auditsAtOnce: 150 * share,
    });
    expect(result).toMatchObject({ jobs: result.runs, duplicates: 0, looks: 0, alarms: [] });
    expect(result.endedAt).toBeLessThan(until + 60);
  },
  LIMIT_MS,
);

/** Checks a second of a million a day: for a twelfth of the time three times the average, as in the busiest hours. */
const checksPerSecond = (second: number, period: number): number => {
  const average = 1e6 / DAY;
  return (second / period) % 1 < 1 / 12 ? 3 * average : (average * (1 - 3 / 12)) / (1 - 1 / 12);
};

test(
  'a day of a million checks of six regions needs no more audits at once than `large` has, and fires no alarm',
  async () => {
    const large = synthesized('large');
    const share = shares.million;
    const until = size === 'small' ? HOUR / 2 : DAY;
    let due = 0;
    const load = {
      until,
      creates: (second: number) => {
        if (second >= until) return [];
        due += share * checksPerSecond(second, until);
        const count = Math.floor(due);
        due -= count;
        return Array.from({ length: count }, () => allRegions);
      },
      auditsAtOnce: large.environment.auditsAtOnce * share,
    };
    const result = await simulate(share, load, large);
    expect(result.checks).toBeGreaterThan(0.99 * until * (1e6 / DAY) * share);
    expect(result).toMatchObject({ jobs: result.runs, duplicates: 0, alarms: [] });
    expect(result.endedAt).toBeLessThan(until + 120);
  },
  LIMIT_MS,
);

test('an alarm fires on recorded metrics that breach it for all of its periods', () => {
  const metrics = metricRecorder();
  for (let second = 59; second < HOUR; second += 60) {
    metrics.setTime(second);
    if (second < HOUR / 2) metrics.add('OpenPastDue', {}, second < 600 ? 0 : 1); // for 20 minutes, then no sweep
    metrics.add('RunsAbandoned', {}, 0);
    for (const region of allRegions) {
      metrics.add('RunSeconds', { region }, 30);
      metrics.add('ServiceFailure', { region }, second < 900 && region === 'us-west1' ? 1 : 0); // for one of two periods
    }
  }
  expect(firedAlarms([home, ...regionStacks], metrics, HOUR)).toEqual(['home-OpenPastDue', 'home-Silent']);
});
