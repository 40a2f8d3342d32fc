import { InvalidArgumentError } from 'commander';
import type { Simulation } from '../../shared/simulations.ts';
import { simulationFrom } from '../words/simulations.ts';

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

export const wholeNumber = (text: string): number => {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Use a whole number.');
  return Number(text);
};

export const number = (text: string): number => {
  if (!/^\d{1,9}(\.\d+)?$/.test(text)) throw new InvalidArgumentError('Use a number.');
  return Number(text);
};

export const oneDevice = (text: string): string[] => {
  if (text !== 'mobile' && text !== 'desktop') throw new InvalidArgumentError('Use mobile or desktop.');
  return [text];
};
