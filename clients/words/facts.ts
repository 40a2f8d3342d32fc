import type { CheckView } from '../../shared/check.ts';
import type { ThrottlingValues } from '../../shared/throttling.ts';
import { counted } from './numbers.ts';

type Audited = Pick<CheckView, 'auditVersion' | 'device' | 'samples' | 'throttling' | 'blockedUrlPatterns'>;

/** Returns how the pages of a check were audited, in words. The preset of the device has no throttling of its own. */
export const auditFacts = ({
  auditVersion,
  device = 'mobile',
  samples = 1,
  throttling,
  blockedUrlPatterns = [],
}: Audited): string[] => [
  `Lighthouse ${auditVersion}`,
  device,
  counted(samples, 'sample'),
  ...(throttling === undefined
    ? []
    : [throttling === 'none' ? 'no throttling' : `throttled to ${valuesText(throttling)}`]),
  ...(blockedUrlPatterns.length === 0 ? [] : [counted(blockedUrlPatterns.length, 'blocked URL pattern')]),
];

/** Returns each label of a check as `name: value`. */
export const labelTexts = ({ labels = {} }: Pick<CheckView, 'labels'>): string[] =>
  Object.entries(labels).map(([name, value]) => `${name}: ${value}`);

/** Returns the values of a simulated throttling, in words. */
export const valuesText = ({ rttMs, throughputKbps, cpuSlowdownMultiplier }: ThrottlingValues): string =>
  `${rttMs} ms round trip, ${throughputKbps.toLocaleString('en')} kbit/s and CPU ${cpuSlowdownMultiplier}× slower`;
