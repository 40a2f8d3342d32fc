// @ts-check
import { counted } from './numbers.js';
import { valuesText } from './throttling.js';

/**
 * Returns how the pages of a check were audited, in words. The preset of the device has no throttling of its own.
 * @param {{ auditVersion: string, device?: string, samples?: number, throttling?: import('./throttling.js').Throttling, blockedUrlPatterns?: readonly string[] }} check
 */
export const auditFacts = ({ auditVersion, device = 'mobile', samples = 1, throttling, blockedUrlPatterns = [] }) => [
  `Lighthouse ${auditVersion}`,
  device,
  counted(samples, 'sample'),
  ...(throttling === undefined
    ? []
    : [throttling === 'none' ? 'no throttling' : `throttled to ${valuesText(throttling)}`]),
  ...(blockedUrlPatterns.length === 0 ? [] : [counted(blockedUrlPatterns.length, 'blocked URL pattern')]),
];
