import { InvalidArgumentError } from 'commander';
import type { Interaction } from '../../../shared/interactions/interactions.ts';
import { interactionsOfRecording, isRecording } from '../../../shared/interactions/recording.ts';
import type { Samples } from '../../../shared/options/audit-options.ts';
import type { Simulation } from '../../../shared/options/simulations.ts';
import { simulationFrom } from '../../words/simulations.ts';
import { UsageError } from '../exit-codes.ts';
import { formatNames } from '../formats/render.ts';
import { readTextFile } from '../text-file.ts';

/* Parsers of the values of flags. `before` is the value of an earlier flag of the same name. */

/** An empty list is an error: in a pipeline, its variable is unset. */
export const list = (text: string, before: string[] = []): string[] => {
  const names = text.split(',').filter(Boolean);
  if (names.length === 0)
    throw new InvalidArgumentError('The list is empty. Name one or more, or leave out the option.');
  return [...before, ...names];
};
export const repeated = (text: string, before: string[] = []): string[] => [...before, text];

export const simulations = (text: string, before: Simulation[] = []): Simulation[] => [
  ...before,
  ...list(text).map(simulationFrom),
];

/** Reads a recording of DevTools, and adds its interactions to those before it. */
export const recording = (name: string, before: Interaction[] = []): Interaction[] => {
  const value = jsonFile(name);
  if (!isRecording(value))
    throw new InvalidArgumentError(`${name} is no recording of Chrome DevTools. Export it there as JSON.`);
  try {
    return [...before, ...interactionsOfRecording(value)];
  } catch (error) {
    throw new InvalidArgumentError(`${name}: ${(error as Error).message}`);
  }
};

export const jsonFile = (name: string): unknown => {
  try {
    return JSON.parse(readTextFile(name));
  } catch (error) {
    throw new InvalidArgumentError(
      error instanceof UsageError ? error.message : `${name} is not JSON: ${(error as Error).message}`,
    );
  }
};

export const wholeNumber = (text: string): number => {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Use a whole number.');
  return Number(text);
};

export const samples = (text: string): Samples => {
  if (text !== 'auto' && !/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Use a whole number, or auto.');
  return text === 'auto' ? text : Number(text);
};

export const number = (text: string): number => {
  if (!/^\d{1,9}(\.\d+)?$/.test(text)) throw new InvalidArgumentError('Use a number.');
  return Number(text);
};

export const oneDevice = (text: string): string[] => {
  if (text !== 'mobile' && text !== 'desktop') throw new InvalidArgumentError('Use mobile or desktop.');
  return [text];
};

/** Parses a list of devices. */
export const device = (text: string, before?: string[]): string[] => {
  const wrong = list(text).find((each) => each !== 'mobile' && each !== 'desktop');
  if (wrong !== undefined) throw new InvalidArgumentError('Use mobile, desktop or mobile,desktop.');
  return list(text, before);
};
/** Parses `name=value`, and adds the label to those before it. */
export const label = (text: string, before: Record<string, string> = {}): Record<string, string> => {
  const [, name, value] = /^([^:=]+)[:=](.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('Use name=value.');
  return { ...before, [name]: value };
};

/** Returns a parser of one of these names. */
const oneOf =
  <Name extends string>(names: readonly Name[], advice = `Use one of ${names.join(', ')}.`) =>
  (text: string): Name => {
    const found = names.find((name) => name === text);
    if (found === undefined) throw new InvalidArgumentError(advice);
    return found;
  };
/** Parses the name of a format of results. */
export const format = oneOf(formatNames);
/** Parses the name of a format of results, or `html` for the report of Lighthouse. */
export const formatOrHtml = oneOf([...formatNames, 'html']);
/** Parses the format of a command without tables for spreadsheets. */
export const textOrMarkdown = oneOf(['text', 'json', 'markdown'], 'Use text, json or markdown.');
/** Parses the format of a list. */
export const textOrJson = oneOf(['text', 'json'], 'Use text or json.');
/** Parses the format of a list that is also a table. */
export const tableFormat = oneOf(['text', 'json', 'csv', 'markdown'], 'Use text, json, csv or markdown.');
