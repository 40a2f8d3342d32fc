import { Option } from 'commander';
import { optionNames, options } from '../../shared/audit-options.ts';
import { list, repeated, wholeNumber } from './flag-values.ts';

const parsers = {
  number: (flag: Option) => flag.argParser(wholeNumber),
  list: (flag: Option) => flag.argParser(list),
  repeated: (flag: Option) => flag.argParser(repeated),
};

const flags = optionNames.flatMap((input) => {
  const row = options[input];
  if (!('flag' in row)) return [];
  const { name, value, help } = row.flag;
  return [{ input, flag: parsers[value](new Option(name, help)) }];
});

/** The flags of `run` for the optional inputs of a create. The inputs without a flag in their table are read elsewhere. */
export const optionFlags: readonly Option[] = flags.map(({ flag }) => flag);

/** Returns the optional inputs of a create that these flags give. */
export const inputsFrom = (given: object): Record<string, unknown> => {
  const values = new Map(Object.entries(given));
  return Object.fromEntries(
    flags
      .map(({ input, flag }) => [input, values.get(flag.attributeName())] as const)
      .filter(([, value]) => value !== undefined),
  );
};
