import type { CheckView } from '../../shared/check.ts';
import type { NamedSecrets } from '../../shared/options/secrets.ts';
import type { ThrottlingValues } from '../../shared/options/throttling.ts';
import { grouped } from '../../shared/text.ts';
import { counted } from './numbers.ts';

type Audited = Pick<
  CheckView,
  'auditVersion' | 'device' | 'samples' | 'throttling' | 'blockedUrlPatterns' | 'against'
> &
  NamedSecrets;

/** Returns how the pages of a check were audited, in words. The preset of the device has no throttling of its own. */
export const auditFacts = ({
  auditVersion,
  device = 'mobile',
  samples = 1,
  throttling,
  blockedUrlPatterns,
  against,
  ...secrets
}: Audited): string[] => [
  `Lighthouse ${auditVersion}`,
  device,
  samples === 'auto' ? 'automatic samples' : counted(samples, 'sample'),
  ...throttlingFacts(throttling),
  ...blockedFacts(blockedUrlPatterns),
  ...secretFacts(secrets),
  ...againstFacts({ against }),
];

/** Returns which secrets a check was created with, by their names. */
const secretFacts = ({
  headers = [],
  basicAuth,
  cookies = [],
  storageState,
  secretTexts = [],
}: NamedSecrets): string[] => {
  const sent = [
    ...headers,
    ...(basicAuth ? ['a password'] : []),
    ...(cookies.length > 0 ? [counted(cookies.length, 'cookie')] : []),
    ...(storageState ? ['a storage state'] : []),
    ...(secretTexts.length > 0 ? [counted(secretTexts.length, 'secret text')] : []),
  ];
  return sent.length === 0 ? [] : [`with ${sent.join(', ')}`];
};

/** Returns how the second variant of a check differs from the first, in words. */
export const againstFacts = ({ against }: Pick<CheckView, 'against'>): string[] => {
  if (!against) return [];
  const { url, auditVersion, device, throttling, blockedUrlPatterns } = against;
  const facts = [
    ...(url === undefined ? [] : [url]),
    ...(auditVersion === undefined ? [] : [`Lighthouse ${auditVersion}`]),
    ...(device === undefined ? [] : [device]),
    ...throttlingFacts(throttling),
    ...(blockedUrlPatterns?.length === 0 ? ['nothing blocked'] : blockedFacts(blockedUrlPatterns)),
  ];
  return [`against ${facts.join(', ')}`];
};

const throttlingFacts = (throttling: Audited['throttling']): string[] => {
  if (throttling === undefined) return [];
  return [throttling === 'none' ? 'no throttling' : `throttled to ${valuesText(throttling)}`];
};

const blockedFacts = (patterns: Audited['blockedUrlPatterns'] = []): string[] =>
  patterns.length === 0 ? [] : [counted(patterns.length, 'blocked URL pattern')];

/** Returns each label of a check as `name: value`. */
export const labelTexts = ({ labels = {} }: Pick<CheckView, 'labels'>): string[] =>
  Object.entries(labels).map(([name, value]) => `${name}: ${value}`);

/** Returns the values of a simulated throttling, in words. */
export const valuesText = ({ rttMs, throughputKbps, cpuSlowdownMultiplier }: ThrottlingValues): string =>
  `${rttMs} ms round trip, ${grouped(throughputKbps)} kbit/s and CPU ${cpuSlowdownMultiplier}× slower`;
