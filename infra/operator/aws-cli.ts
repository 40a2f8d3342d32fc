import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Input and output of a call, with the names of AWS's API. */
// biome-ignore lint/suspicious/noExplicitAny: each operation has its own shape
export type Shape = Record<string, any>;
/** Calls AWS, for example `aws('lambda get-function-concurrency', 'us-west-2', { FunctionName })`. */
export type Aws = (operation: string, region: string, input?: Shape) => Promise<Shape>;

/** An error of AWS or of its CLI. `name` is the code of AWS, for example ResourceNotFoundException. */
export class AwsError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/** Calls AWS by its CLI, with the credentials of the operator. Throws an AwsError. */
export const awsCli: Aws = async (operation, region, input = {}) => {
  const [service = '', name = ''] = operation.split(' ');
  const options = ['--region', region, '--output', 'json', '--cli-input-json', JSON.stringify(input)];
  const { stdout } = await promisify(execFile)('aws', [service, name, ...options], { maxBuffer: 16 << 20 }).catch(
    ({ code, message, stderr }) => {
      if (code === 'ENOENT') throw new Error('The AWS CLI is missing. Install version 2, and log in with it.');
      const text = String(stderr || message).trim();
      throw new AwsError(/\((\w+)\) when calling/.exec(text)?.[1] ?? 'AwsError', text);
    },
  );
  return stdout.trim() === '' ? {} : JSON.parse(stdout);
};

/** Returns undefined for an error with one of these codes, and throws every other error. */
export const ifMissing =
  (...codes: string[]) =>
  (error: Error): undefined => {
    if (!codes.includes(error.name)) throw error;
  };
