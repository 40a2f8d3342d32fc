import type { Difference } from '../../shared/comparison/comparable.ts';
import { valuesText } from './facts.ts';

const nouns: Record<Difference['code'], string> = {
  url: 'URLs',
  device: 'devices',
  auditVersion: 'Lighthouse versions',
  throttling: 'throttlings',
  blockedUrlPatterns: 'blocked URL patterns',
  categories: 'categories',
};

/** Returns what differs between the audits of two checks. */
export const differenceText = ({ code, base, value }: Difference): string =>
  `The ${nouns[code]} differ: ${factText(base)} and ${factText(value)}.`;

const factText = (fact: Difference['base']): string => {
  if (typeof fact === 'string') return fact;
  if (Array.isArray(fact)) return fact.length === 0 ? 'none' : fact.join(', ');
  return valuesText(fact);
};
