import { z } from 'zod';
import {
  AggregationMethod,
  Assertions,
  assertionOptions,
  faultOfKey,
  levels,
  partedAudits,
} from '../../../shared/assertions/assertions.ts';
import { presets } from '../../../shared/assertions/presets.ts';
import { partsOfKey } from '../../../shared/assertions/values.ts';
import { isMap } from '../../../shared/merge.ts';
import { strictObject } from './file.ts';

const presetNames = Object.keys(presets) as (keyof typeof presets)[];
const isPattern = (text: string): boolean => {
  try {
    return Boolean(new RegExp(text));
  } catch {
    return false;
  }
};
const set = {
  preset: z.enum(presetNames, { error: `The presets are ${presetNames.join(', ')}.` }).optional(),
  assertions: Assertions.optional(),
  aggregationMethod: AggregationMethod.optional(),
  matchingUrlPattern: z.string().refine(isPattern, 'Expected a regular expression.').optional(),
};
const part = {
  ...set,
  assertMatrix: z.array(strictObject(set)).optional(),
  budgetsFile: z.string().optional(),
  includePassedAssertions: z.boolean().optional(), // the output format decides
};
/** The part `assert` of a file of Lighthouse CI, without what Lighthouse CI ignores. */
export const AssertOptions = strictObject(part);
export type AssertOptions = z.infer<typeof AssertOptions>;
export type AssertSet = NonNullable<AssertOptions['assertMatrix']>[number];

type Path = readonly (string | number)[];
/** Returns a message about a part of a file, with its place. */
type MessageAt = (path: Path, text: string) => string;

/**
 * Returns the part `assert` as Lighthouse CI understands it: without the keys, levels and options that it ignores, and with
 * colons in place of dots. A warning names each of them. A fault names a key for which Lighthouse CI fails.
 */
export const acceptAssert = (raw: unknown, messageAt: MessageAt) => {
  const warnings: string[] = [];
  const faults: string[] = [];
  const report: Report = {
    warn: (path, text) => void warnings.push(messageAt(path, text)),
    refuse: (path, text) => void faults.push(messageAt(path, text)),
  };
  if (!isMap(raw)) return { part: raw, warnings, faults };
  const own = acceptSet(raw, Object.keys(part), [], report);
  const matrix = own.assertMatrix;
  if (!Array.isArray(matrix)) return { part: own, warnings, faults };
  const assertMatrix = matrix.map((each, i) =>
    isMap(each) ? acceptSet(each, Object.keys(set), ['assertMatrix', i], report) : each,
  );
  return { part: { ...own, assertMatrix }, warnings, faults };
};

type Report = Record<'warn' | 'refuse', (path: Path, text: string) => void>;
type Values = Record<string, unknown>;

const acceptSet = (raw: Values, keys: readonly string[], path: Path, report: Report): Values => {
  const { warn, refuse } = report;
  const kept = Object.entries(raw).filter(([key]) => {
    if (!keys.includes(key)) warn([...path, key], `The key has no effect. The accepted keys are ${keys.join(', ')}.`);
    return keys.includes(key);
  });
  const own = Object.fromEntries(kept);
  if (!isMap(own.assertions)) return own;
  const assertions = Object.entries(own.assertions).flatMap(([given, assertion]) => {
    const at = [...path, 'assertions', given];
    const key = acceptKey(given, (text) => warn(at, text));
    const fault = key === undefined ? undefined : faultOfKey(key);
    if (fault) refuse(at, fault);
    return key === undefined ? [] : [[key, acceptAssertion(assertion, (text) => warn(at, text))]];
  });
  return { ...own, assertions: Object.fromEntries(assertions) };
};

/** Returns the key of an assertion with colons, or undefined for a key that Lighthouse CI ignores. */
const acceptKey = (given: string, warn: (text: string) => void): string | undefined => {
  const kebab = given.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase();
  if (kebab !== given) {
    warn(`The assertion has no effect, because no audit has capitals. Write "${kebab}".`);
    return undefined;
  }
  const [id, ...rest] = partsOfKey(given);
  if (id === '' || rest.length === 0 || partedAudits.includes(id)) return given.replaceAll('.', ':');
  warn(`The audit ${id} has no parts. The assertion is about all of it.`);
  return id;
};

/** Returns an assertion with a level and options that count. Lighthouse CI fails for the level `error` only. */
const acceptAssertion = (given: unknown, warn: (text: string) => void): unknown => {
  if (!given) {
    warn('The assertion has no level, so it is off.');
    return 'off';
  }
  if (typeof given === 'string') return acceptLevel(given, warn);
  if (!Array.isArray(given)) return given;
  const [level, options, ...more] = given;
  if (more.length > 0) warn('The list has a level and options. Everything after them has no effect.');
  const accepted = acceptLevel(level, warn);
  if (isMap(options)) return [accepted, acceptOptions(options, warn)];
  if (options !== undefined && options !== null) warn('The options are no object, so they have no effect.');
  return [accepted];
};

const acceptLevel = (level: unknown, warn: (text: string) => void): unknown => {
  if ((levels as readonly unknown[]).includes(level)) return level;
  warn(`${JSON.stringify(level)} is no level, so it counts as warn. The levels are ${levels.join(', ')}.`);
  return 'warn';
};

const acceptOptions = (options: Values, warn: (text: string) => void): Values =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => {
      if (!assertionOptions.includes(name)) {
        warn(`The option ${name} has no effect. The options are ${assertionOptions.join(', ')}.`);
        return [];
      }
      const isNumberText = typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value));
      return [[name, isNumberText ? Number(value) : value]]; // YAML and variables give numbers as texts
    }),
  );
