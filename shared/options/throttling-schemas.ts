import { z } from 'zod';
import { recordOf } from '../record.ts';
import { acceptedThrottling, bounds, type ThrottlingName, throttlingNames } from './throttling.ts';

const descriptions: Record<ThrottlingName, string> = {
  rttMs: 'Round-trip time of the network in milliseconds.',
  throughputKbps: 'Throughput of the network in kilobits per second.',
  cpuSlowdownMultiplier: 'How much slower than the host the device is.',
};
const valuesWith = (schemaOf: (name: ThrottlingName) => z.ZodNumber) =>
  recordOf(throttlingNames, (name) => schemaOf(name).describe(descriptions[name]));
export const boundedValues = () => valuesWith(boundedValue);
const boundedValue = (name: ThrottlingName): z.ZodNumber => z.number().min(bounds[name][0]).max(bounds[name][1]);

export const Throttling = z.union([z.literal('none'), z.strictObject(boundedValues())], acceptedThrottling).meta({
  id: 'Throttling',
  description:
    "`none` measures the page at the speed of the host and its network. An object has the values of Lighthouse's simulation. Default: the preset of the device.",
});

/** Values of the simulated throttling of a run. A stored run may have values outside today's bounds. */
export const ThrottlingValues = z.object(valuesWith(() => z.number()));

export const MeasuredThrottling = z.union([z.literal('none'), ThrottlingValues]).meta({
  id: 'MeasuredThrottling',
  description: 'As in a create. An uploaded report may have other values.',
});
