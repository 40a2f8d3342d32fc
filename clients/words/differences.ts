import type { Difference } from '../../shared/comparison/comparable.ts';
import type { MachineCode } from '../../shared/comparison/spoils.ts';
import { options, spoilingOptions } from '../../shared/options/audit-options.ts';
import { recordOf } from '../../shared/record.ts';
import { valuesText } from './facts.ts';

/** Each input and each part of the service that may differ, as one and as many. */
const nouns: Record<Difference['code'], readonly [one: string, many: string]> = {
  url: ['URL', 'URLs'],
  auditVersion: ['Lighthouse version', 'Lighthouse versions'],
  ...recordOf(spoilingOptions, (name) => options[name].nouns),
  chromium: ['Chromium', 'Chromium versions'],
  sandbox: ["setting of Chromium's sandbox", "settings of Chromium's sandbox"],
  fonts: ['fonts', 'fonts'],
  revision: ['revision of the audit', 'revisions of the audit'],
};

/** Returns what differs between the audits of two checks. */
export const differenceText = ({ code, base, value }: Difference): string =>
  `The ${nouns[code][1]} differ: ${factText(base)} and ${factText(value)}.`;

/** Returns why a result is not comparable with another one, in short. */
export const otherText = (code: Difference['code'] | MachineCode): string => {
  if (code === 'contended') return 'other work used the CPU';
  return `other ${code === 'different-machine' ? 'machine' : nouns[code][0]}`;
};

/** Returns what changed where a new series begins: `Chromium 153.0.8010.0 → 156.0.1.0`. */
export const stepText = ({ code, base, value }: Difference): string =>
  `${nouns[code][0]} ${factText(base)} → ${factText(value)}`;

/** Returns true if the two sides of a comparison are the variants of one check, which differ on purpose. */
export const isOfVariants = ({ checkId, baseCheckId }: { checkId: string; baseCheckId: string | null }): boolean =>
  checkId === baseCheckId;

/** Returns what makes the two variants of a check different, as a name for each. */
export const variantNames = ({ differences }: { differences: readonly Difference[] }) => ({
  base: differences.map(({ code, base }) => variantText(code, base)).join(', '),
  value: differences.map(({ code, value }) => variantText(code, value)).join(', '),
});

const variantText = (code: Difference['code'], fact: Difference['base']): string => {
  if (code === 'auditVersion') return `Lighthouse ${factText(fact)}`;
  if (code === 'blockedUrlPatterns') return `${factText(fact)} blocked`;
  return code === 'throttling' ? `throttling ${factText(fact)}` : factText(fact);
};

const factText = (fact: Difference['base']): string => {
  if (typeof fact === 'string') return fact;
  if (Array.isArray(fact)) return fact.length === 0 ? 'none' : fact.join(', ');
  return valuesText(fact);
};
