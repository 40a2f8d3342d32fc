import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('./bin', import.meta.url));

/** Returns the variables with which the SDK and the AWS CLI call `url` in the place of AWS. */
export const awsEnv = (url: string) => ({
  AWS_ENDPOINT_URL: url,
  AWS_ACCESS_KEY_ID: 'moto',
  AWS_SECRET_ACCESS_KEY: 'moto',
  AWS_REGION: 'us-west-2',
  AWS_PAGER: '',
});

/** Returns the same variables, and those with which a shell finds the CLI in test/moto/bin first. */
export const cliEnv = (url: string) => {
  const { PATH } = process.env;
  const outputOf = (command: string, argument: string) => spawnSync(command, [argument], { encoding: 'utf8' }).stdout;
  const REAL_AWS = outputOf('which', 'aws').trim();
  const AWS_CLI_MAJOR = /aws-cli\/(\d+)/.exec(outputOf(REAL_AWS, '--version'))?.[1] ?? '';
  return { ...awsEnv(url), AWS_DEFAULT_REGION: 'us-west-2', REAL_AWS, AWS_CLI_MAJOR, PATH: `${bin}:${PATH}` };
};

type Call = { path?: string; method?: string; target?: string; body?: object; form?: Record<string, string> };

/** Calls an operation for which this repository has no client. Throws what moto answers with an error. */
export const callMoto = async (
  url: string,
  [service, region]: [service: string, region: string],
  { path = '/', target, body, form, method = body || form ? 'POST' : 'GET' }: Call,
  // biome-ignore lint/suspicious/noExplicitAny: each operation has its own shape
): Promise<any> => {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `AWS4-HMAC-SHA256 Credential=moto/20310101/${region}/${service}/aws4_request, SignedHeaders=host, Signature=none`,
      ...(target && { 'x-amz-target': target }),
      'content-type': form ? 'application/x-www-form-urlencoded' : 'application/x-amz-json-1.1',
    },
    ...(body && { body: JSON.stringify(body) }),
    ...(form && { body: new URLSearchParams(form).toString() }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`moto answered ${service} ${target ?? path} with ${response.status}: ${text}`);
  return text.startsWith('{') ? JSON.parse(text) : text;
};
