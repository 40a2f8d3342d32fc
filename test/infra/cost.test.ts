import type { Stack } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import { environments } from '../../infra/environments.ts';
import { alarmMetrics, alarmMetricsOf, idleMonth, month, sum } from '../../infra/operator/cost-model.ts';
import { type Properties, resourcesOf, synthesized } from './support.ts';

/** Returns the number of metrics that the alarms of a stack read. */
const metricsOfAlarms = (stack: Stack): number =>
  resourcesOf(stack, 'AWS::CloudWatch::Alarm')
    .map(({ Metrics }) => (Metrics ? Metrics.filter((each: Properties) => each.MetricStat).length : 1))
    .reduce((total, each) => total + each, 0);

describe.each(Object.keys(environments))('%s', (name) => {
  const { home, region, all, environment } = synthesized(name);

  test('the cost counts the metrics of the alarms in the templates', () => {
    expect({ home: metricsOfAlarms(home), region: metricsOfAlarms(region) }).toEqual(alarmMetrics(environment));
    expect(all.map(metricsOfAlarms).reduce((total, each) => total + each)).toBe(alarmMetricsOf(environment));
  });

  test('the cost counts the queues that Lambda polls, and the dashboard', () => {
    const queues = all.flatMap((stack) => resourcesOf(stack, 'AWS::Lambda::EventSourceMapping'));
    expect(queues).toHaveLength(2 * environment.regions.length + 1);
    const idle = idleMonth(environment);
    expect(idle['Polls of the queues']).toBeCloseTo(queues.length * 15 * 60 * 24 * 30 * 0.4e-6);
    expect(idle.Dashboard).toBe(3 * resourcesOf(home, 'AWS::CloudWatch::Dashboard').length);
  });

  test('without users, each run of the canary costs about as much as a run of a user', () => {
    const { 'Canary: its runs': canary = 0 } = idleMonth(environment);
    const canaries = environment.canaryMinutes ? ((30 * 24 * 60) / environment.canaryMinutes) * 6 : 0;
    expect(canary).toBeGreaterThanOrEqual(canaries * 0.0005);
    expect(canary).toBeLessThanOrEqual(canaries * 0.001);
  });
});

test('an idle dev environment costs under 10 dollars a month', () => {
  expect(sum(idleMonth(synthesized('dev').environment))).toBeLessThan(10);
});

test('a thousand runs cost less, the more runs there are', () => {
  const { environment } = synthesized('prod');
  const [few = 0, some = 0, many = 0] = [1e3, 1e5, 1e7].map((runs) => (sum(month(environment, runs)) / runs) * 1000);
  expect(few).toBeGreaterThan(10 * some);
  expect(some).toBeGreaterThan(many);
  expect(many).toBeGreaterThan(0.4);
});
