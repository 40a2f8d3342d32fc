import { expect, test } from 'vitest';
import { commandLine } from '../../infra/local/command-line.ts';

test.each([
  ['here, on the default folder', {}, undefined, undefined, 'npm run keys -- list'],
  [
    'here, on a folder',
    { DATA_DIR: "/srv/it's" },
    undefined,
    undefined,
    "DATA_DIR='/srv/it'\\''s' npm run keys -- list",
  ],
  [
    'on AWS',
    { DATA_DIR: '/srv/a', AWS_PROFILE: 'ops' },
    'prod',
    undefined,
    'AWS_PROFILE=ops npm run keys -- list --environment prod',
  ],
  [
    'in a container of our image',
    { DATA_DIR: '/data', HOSTNAME: '3f2a' },
    undefined,
    'docker',
    'docker exec 3f2a node infra/operator/keys.ts list',
  ],
  [
    'in a container, on another folder',
    { DATA_DIR: '/data', HOSTNAME: '3f2a', dataDir: '/data-restored' },
    undefined,
    'docker',
    'docker exec -e DATA_DIR=/data-restored 3f2a node infra/operator/keys.ts list',
  ],
] as const)(
  '%s, a command for copying works on the same data',
  (_, { dataDir, ...env }: Record<string, string>, environment, container, expected) => {
    const place = { env, container, ...(dataDir !== undefined && { dataDir }) };
    expect(commandLine('keys', 'list', environment, place)).toBe(expected);
  },
);
