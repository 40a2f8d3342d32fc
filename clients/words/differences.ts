import type { Difference } from '../../shared/comparison/comparable.ts';
import { valuesText } from './facts.ts';

const nouns: Record<Difference['code'], string> = {
  url: 'URLs',
  device: 'devices',
  auditVersion: 'Lighthouse versions',
  throttling: 'throttlings',
  blockedUrlPatterns: 'blocked URL patterns',
  categories: 'categories',
  headers: 'headers',
  basicAuth: 'passwords',
  cookies: 'cookies',
  storageState: 'storage states',
};

/** Returns what differs between the audits of two checks. */
export const differenceText = ({ code, base, value }: Difference): string =>
  `The ${nouns[code]} differ: ${factText(base)} and ${factText(value)}.`;

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
