import { InvalidArgumentError, Option } from 'commander';
import type { CreateCheckBody } from '../../../shared/check.ts';
import { presets, type Throttling, type ThrottlingValues } from '../../../shared/options/throttling.ts';
import { number } from './flag-values.ts';

/** Flags of the second variant of a check begin with `against.`. */
export type Prefix = '' | 'against.';

/** Options of `run`, with the names of Lighthouse's command line. */
export type ThrottlingOptions<Of extends Prefix = ''> = { [Name in `${Of}throttling`]?: 'none' } & {
  [Name in keyof ThrottlingValues as `${Of}throttling.${Name}`]?: number;
};

const help: Record<keyof ThrottlingValues, readonly [value: string, text: string]> = {
  rttMs: ['ms', 'simulated round-trip time of the network'],
  throughputKbps: ['kbps', 'simulated throughput of the network'],
  cpuSlowdownMultiplier: ['factor', 'how much slower the simulated CPU is'],
};
const names = Object.keys(help) as (keyof ThrottlingValues)[];

/** Returns the flags of a variant's throttling. `none` and values exclude each other. */
export const throttlingFlags = (prefix: Prefix): Option[] => {
  const none = new Option(
    `--${prefix}throttling <none>`,
    '"none": the speed of the service (default: the preset of the device)',
  )
    .argParser((text) => {
      if (text !== 'none')
        throw new InvalidArgumentError(`Use none, or values such as --${prefix}throttling.rttMs 150.`);
      return text;
    })
    .conflicts(names.map((name) => `${prefix}throttling.${name}`));
  const values = names.map((name) => {
    const [value, text] = help[name];
    return new Option(`--${prefix}throttling.${name} <${value}>`, text).argParser(number);
  });
  return [none, ...values];
};

/**
 * Returns the throttling of a variant, or undefined if no flag gives one. As in Lighthouse, a value that is not given is that
 * of the preset of the device.
 */
export const throttlingFor = (
  device: CreateCheckBody['device'] = 'mobile',
  options: ThrottlingOptions & ThrottlingOptions<'against.'>,
  prefix: Prefix = '',
): Throttling | undefined => {
  const given = names.filter((name) => options[`${prefix}throttling.${name}`] !== undefined);
  if (given.length === 0) return options[`${prefix}throttling`];
  return {
    ...presets[device],
    ...Object.fromEntries(given.map((name) => [name, options[`${prefix}throttling.${name}`]])),
  };
};
