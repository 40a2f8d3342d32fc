import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { type Command, InvalidArgumentError, type Option } from 'commander';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { device, label, list, recording, repeated, simulations } from '../flags/flag-values.ts';
import { type ConfigFile, parsePart, placeText, readConfigFile, refuse, strictObject } from '../lighthouserc/file.ts';
import { secretFlags } from '../login/secrets.ts';

/** File of the folder with the options of `run` that a user would type each time. */
const FILE = 'page-audit.json';

/**
 * Options that a file can't have: logins, because people commit the file, and those that start a program, write outside the
 * folder or are about one call.
 */
const ofCommandLine = ['--data', '--chrome-path', '--open', '--detach', '--idempotency-key', '--help'];
const secrets = secretFlags.map(({ long }) => long);
const isOfFile = ({ long = '', negate, hidden }: Option): boolean =>
  !negate && !hidden && !ofCommandLine.includes(long) && !secrets.includes(long);

const keyOf = ({ long = '' }: Option): string => long.slice(2);
const one = z.union([z.string(), z.number()], { error: 'Expected a text or a number.' });
const several = z.union([one, z.array(one).min(1)], { error: 'Expected a text, or a list of one or more texts.' });

/** Parsers that accept a flag several times. */
const ofSeveral: readonly unknown[] = [device, list, recording, repeated, simulations];

const schemaOf = (option: Option) => {
  if (option.parseArg === label) return z.record(z.string(), one, { error: 'Expected an object of names and values.' });
  if (!option.required) return z.boolean({ error: 'Expected true or false.' });
  return ofSeveral.includes(option.parseArg) ? several : one;
};

/** Returns the schema of the file, from the options of `run`. */
export const configSchema = ({ options }: Pick<Command, 'options'>) =>
  strictObject({
    $schema: z.string().optional(),
    urls: z.array(z.string()).min(1).optional().describe('Pages, if the command names none.'),
    ...Object.fromEntries(
      options
        .filter(isOfFile)
        .map((option) => [keyOf(option), schemaOf(option).optional().describe(option.description)]),
    ),
  });

/** Options of one kind. An option of the command keeps those of the file for the other kind out. */
const excluding = [/^(base|base-url|pool|intended|confirm)$/, /^against/] as const;

const ofInteractions = ['interactions', 'recording'];

/** Returns the pages and options of a command with those of the file in its folder. Those of the command win. */
export const withConfig = async <Options extends object>(
  { note }: Pick<Context, 'note'>,
  given: readonly string[],
  options: Options,
  command: Command,
): Promise<{ urls: readonly string[]; options: Options }> => {
  if (!existsSync(FILE)) return { urls: given, options };
  const file = await readConfigFile(FILE);
  const { $schema: _, urls = [], ...content } = parsePart(configSchema(command), file, file.content, []);
  const isTyped = (option: Option) => command.getOptionValueSource(option.attributeName()) === 'cli';
  const typed = command.options.filter(isTyped).map(keyOf);
  const used = command.options.filter((option) => {
    const key = keyOf(option);
    return isOfFile(option) && Object.hasOwn(content, key) && !isTyped(option) && !isReplaced(key, typed);
  });
  const faults: string[] = [];
  const values = used.map((option) => [option.attributeName(), flagValue(option, content, file, faults)]);
  refuse(faults);
  const namesPages = given.length > 0 || typed.some((key) => ['urls-file', 'sitemap', 'assert'].includes(key));
  const names = [...(namesPages || urls.length === 0 ? [] : ['urls']), ...used.map(keyOf)];
  if (names.length > 0) note(`Of ${FILE}: ${names.join(', ')}.`);
  return { urls: namesPages ? given : urls, options: { ...options, ...Object.fromEntries(values) } };
};

const isReplaced = (key: string, typed: readonly string[]): boolean => {
  if (ofInteractions.includes(key)) return typed.some((each) => ofInteractions.includes(each));
  if (key.startsWith('throttling')) return typed.some((each) => each.startsWith('throttling'));
  const [ofBase, ofAgainst] = excluding;
  if (ofBase.test(key)) return typed.some((each) => ofAgainst.test(each));
  return ofAgainst.test(key) && typed.some((each) => ofBase.test(each));
};

/** Returns the value of an option as its flag would have it. Adds the fault of a wrong value. */
const flagValue = (option: Option, content: object, file: ConfigFile, faults: string[]): unknown => {
  const key = keyOf(option);
  const value: unknown = content[key as keyof object];
  if (typeof value === 'boolean') return value;
  const texts = isLabels(value)
    ? Object.entries(value).map(([name, text]) => `${name}=${text}`)
    : [value].flat().map((each) => String(each));
  if (key === 'output' && texts.some(isOutside)) faults.push(`${placeText(file, [key])}Name a file in this folder.`);
  try {
    const { parseArg } = option;
    return parseArg
      ? texts.reduce((before: unknown, text) => parseArg(text, before as undefined), undefined)
      : texts[0];
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    faults.push(`${placeText(file, [key])}${error.message}`);
    return undefined;
  }
};

/** Returns true for a path that leaves the folder. A file of somebody else must not write elsewhere. */
const isOutside = (path: string): boolean => isAbsolute(path) || path.split(/[\\/]/).includes('..');

const isLabels = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Prints the JSON schema of the file, with which editors complete and check it. */
export const printSchema = async ({ print }: Pick<Context, 'print'>, run: Command): Promise<number> => {
  await print(`${JSON.stringify(z.toJSONSchema(configSchema(run)), null, 2)}\n`);
  return 0;
};
