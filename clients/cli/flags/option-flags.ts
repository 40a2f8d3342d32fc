import { Option } from 'commander';
import type { CreateCheckBody } from '../../../shared/check.ts';
import { optionNames, options } from '../../../shared/options/audit-options.ts';
import { againstNames } from '../../../shared/options/variants.ts';
import { UsageError } from '../exit-codes.ts';
import { jsonFile, list, oneDevice, recording, repeated, samples, simulations } from './flag-values.ts';
import type { RunOptions } from './options.ts';
import { throttlingFlags, throttlingFor } from './throttling.ts';

/** Default samples of a check that is compared with a base. Fewer prove no change of a time. */
export const SAMPLES_WITH_BASE = 5;

const parsers = {
  samples: (flag: Option) => flag.argParser(samples),
  list: (flag: Option) => flag.argParser(list),
  repeated: (flag: Option) => flag.argParser(repeated),
  simulations: (flag: Option) => flag.argParser(simulations),
  jsonFile: (flag: Option) => flag.argParser(jsonFile),
  recording: (flag: Option) => flag.argParser(recording),
};

const rows = optionNames.flatMap((input) => {
  const row = options[input];
  return 'flag' in row ? [row.flag].flat().map((each) => ({ input, row: each })) : [];
});

const flagsOf = (chosen: typeof rows, prefix = '') =>
  chosen.map(({ input, row: { name, value, help } }) => ({
    input,
    flag: parsers[value](new Option(name.replace('--', `--${prefix}`), help)),
  }));

const flags = flagsOf(rows);

/** The flags of `run` for the optional inputs of a create. The inputs without a flag in their table are read elsewhere. */
export const optionFlags: readonly Option[] = flags.map(({ flag }) => flag);

/** Returns the optional inputs of a create that these flags give. */
export const inputsFrom = (given: object): Record<string, unknown> => valuesOf(flags, given);

const valuesOf = (read: readonly { input: string; flag: Option }[], given: object): Record<string, unknown> => {
  const values = new Map(Object.entries(given));
  const used = read.filter(({ flag }) => values.get(flag.attributeName()) !== undefined);
  const twice = used.find(({ input, flag }) => used.some((other) => other.input === input && other.flag !== flag));
  if (twice) throw new UsageError(`Use one of ${namesOfFlags(used, twice.input)}.`);
  return Object.fromEntries(used.map(({ input, flag }) => [input, values.get(flag.attributeName())]));
};

const namesOfFlags = (used: readonly { input: string; flag: Option }[], input: string): string =>
  used.flatMap((each) => (each.input === input ? [each.flag.long] : [])).join(' and ');

const variantFlags = flagsOf(
  rows.filter(({ input }) => (againstNames as readonly string[]).includes(input)),
  'against.',
);

/** The flags of `run` for the second variant of a check. Inputs without a flag are those of the first variant. */
export const againstFlags: readonly Option[] = [
  new Option('--against <url>', 'audit in turns with this URL, and compare with it. A regression is exit code 1'),
  new Option('--against.audit-version <version>', 'or with this Lighthouse version'),
  new Option('--against.device <name>', 'or on this device').argParser(oneDevice),
  ...variantFlags.map(({ flag }) => flag),
  ...throttlingFlags('against.'),
];

/** Returns the second variant of a check that the flags describe, or undefined without such a flag. An empty pattern is none. */
export const againstFrom = (
  given: Omit<RunOptions, 'timeout' | 'format'>,
  device: CreateCheckBody['device'],
): NonNullable<CreateCheckBody['against']> | undefined => {
  const { against: url, 'against.auditVersion': auditVersion, 'against.device': [other] = [] } = given;
  const throttling = throttlingFor((other ?? device) as CreateCheckBody['device'], given, 'against.');
  const lists = Object.entries(valuesOf(variantFlags, given)).map(([input, value]) => [
    input,
    (value as string[]).filter((each) => each !== ''),
  ]);
  const against = {
    ...(url !== undefined && { url }),
    ...(auditVersion !== undefined && { auditVersion }),
    ...(other !== undefined && { device: other as 'mobile' }),
    ...(throttling && { throttling }),
    ...Object.fromEntries(lists),
  };
  return Object.keys(against).length > 0 ? against : undefined;
};
