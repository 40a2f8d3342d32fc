import type { CreateCheckBody } from '../../shared/check.ts';
import { presets, type Throttling, type ThrottlingValues } from '../../shared/throttling.ts';

/** Options of `run`, with the names of Lighthouse's command line. */
export type ThrottlingOptions = { throttling?: 'none' } & {
  [Name in keyof ThrottlingValues as `throttling.${Name}`]?: number;
};

/**
 * Returns the throttling of a check, or undefined for the preset of its device. As in Lighthouse, a value that is not
 * given is that of the preset.
 */
export const throttlingFor = (
  device: CreateCheckBody['device'] = 'mobile',
  options: ThrottlingOptions,
): Throttling | undefined => {
  const names = Object.keys(presets[device]) as (keyof ThrottlingValues)[];
  const given = names.filter((name) => options[`throttling.${name}`] !== undefined);
  if (given.length === 0) return options.throttling;
  return { ...presets[device], ...Object.fromEntries(given.map((name) => [name, options[`throttling.${name}`]])) };
};
