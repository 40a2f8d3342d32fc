import { cutText, printable } from '../../../shared/text.ts';
import type { Throttling } from '../../../shared/throttling.ts';
import { counted } from '../../web/numbers.js';
import type { CheckResult } from '../result.ts';

const MAX_URL_LENGTH = 200;

/** Returns the URL of a check, cut if it is long, and the facts about its audits. */
export const titleOf = ({ check }: Pick<CheckResult, 'check'>): { url: string; facts: string } => {
  const { auditVersion, device = 'mobile', samples = 1, labels = {}, throttling } = check;
  const texts = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  const facts = [
    `Lighthouse ${auditVersion}`,
    device,
    counted(samples, 'sample'),
    ...throttlingTexts(throttling),
    ...texts,
  ];
  return { url: shortUrl(check.url), facts: printable(facts.join(', ')) };
};

/** Returns the throttling, unless it is the preset of the device. */
const throttlingTexts = (throttling: Throttling | undefined): string[] => {
  if (throttling === undefined) return [];
  if (throttling === 'none') return ['no throttling'];
  const { rttMs, throughputKbps, cpuSlowdownMultiplier } = throttling;
  return [
    `throttled to ${rttMs} ms round trip, ${throughputKbps.toLocaleString('en')} kbit/s and CPU ${cpuSlowdownMultiplier}× slower`,
  ];
};

/** Returns a URL that people can read: on one line, and cut if it is long. */
export const shortUrl = (url: string): string => cutText(printable(url), MAX_URL_LENGTH);

/** Returns the URL of the page that shows the check. Returns undefined if the service ends with the command. */
export const linkOf = ({ check, server }: CheckResult): string | undefined =>
  server === null ? undefined : printable(`${server.replace(/\/+$/, '')}${check.links.page}`);
