import type { CheckView } from '../../shared/check.ts';
import { counted } from './numbers.ts';
import { valuesText } from './throttling.ts';

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
