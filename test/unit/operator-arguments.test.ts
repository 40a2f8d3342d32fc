import { expect, test } from 'vitest';
import { commonOptions, parseArguments } from '../../infra/operator/arguments.ts';
import { UsageError } from '../../infra/operator/table.ts';

const options = { ...commonOptions, minutes: { type: 'string', default: '5' } } as const;
const parse = (...args: string[]) => parseArguments({ args, options, allowPositionals: true });

test('options and other arguments are read, with their defaults', () => {
  const { values, positionals } = parse('pause', '--environment', 'staging', 'us-west1');
  expect({ ...values }).toEqual({ environment: 'staging', help: false, minutes: '5' });
  expect(positionals).toEqual(['pause', 'us-west1']);
  expect({ ...parse('-h', '--minutes=7').values }).toEqual({ help: true, minutes: '7' });
});

test.each([[['--enviroment', 'staging']], [['--minutes']], [['--help=yes']]])('%j is a wrong use', (args) => {
  expect(() => parse(...args)).toThrow(UsageError);
});

test('another argument is a wrong use of a command that takes none', () => {
  expect(() => parseArguments({ args: ['staging'], options: commonOptions })).toThrow(UsageError);
});
