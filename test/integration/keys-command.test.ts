import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openDb, updateItem } from '../../functions/lib/store/dynamodb.ts';
import { ifExists } from '../../functions/lib/store/expressions.ts';
import { apiKeyKey } from '../../functions/lib/store/items.ts';
import { keyStore } from '../../functions/lib/store/keys.ts';
import { commandFrom } from '../../infra/operator/key-commands.ts';
import { UsageError, withTable } from '../../infra/operator/table.ts';
import { keyParts } from '../../shared/service/key-text.ts';
import type { ApiKey } from '../../shared/service/keys.ts';
import { runCommand } from '../support/command.ts';
import { startLocally } from '../support/service.ts';
import { serveOnHttp } from '../support/services-on-http.ts';
import { startEngines } from '../support/world.ts';

const folders: string[] = [];
const stops: (() => Promise<unknown>)[] = [];
const aFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'keys-'));
  folders.push(folder);
  return folder;
};
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const keys = (dataDir: string, args: string[], env: Record<string, string> = {}) =>
  runCommand('keys.ts', dataDir, args, env);
const aKey = ['create', '--owner', 'acme', '--name', 'the first'];
/** Runs the command in this process, in a tenth of the time. It throws what would give another exit code than 0. */
const keysHere = async (dataDir: string, args: string[]) => {
  const output = { code: 0, stdout: '', stderr: '' };
  const print = async (text: string) => {
    output.stdout += text;
  };
  const note = (line: string) => {
    output.stderr += `${line}\n`;
  };
  const command = commandFrom(args);
  if (command === 'help') throw new Error('Give a command.');
  process.env.DATA_DIR = dataDir;
  await withTable(undefined, (db) => command.run(keyStore(db), { print, note }));
  return output;
};
const allOf = async (dataDir: string) => JSON.parse((await keysHere(dataDir, ['list', '--json'])).stdout);

/** Checks that no file of the folder contains the secret. */
const expectNotStored = (secret: string, dataDir: string) => {
  const stored = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(stored).not.toEqual([]);
  for (const { parentPath, name } of stored) expect(readFileSync(join(parentPath, name)).includes(secret)).toBe(false);
};

test('without a running service, a key can be created and listed, and is shown once', async () => {
  const dataDir = aFolder();
  const created = await keys(dataDir, [...aKey, '--expires', '90d']);
  expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^pas_[0-9a-f]{12}_[0-9a-f]{72}\n$/) });
  const { prefix = '', secret = '' } = keyParts(created.stdout.trim()) ?? {};
  expect(created.stderr).toMatch(/shown once.*Plan standard: 60 audits a minute/s);

  const listed = await keys(dataDir, ['list']);
  expect(listed.stdout).toMatch(/^PREFIX +STATE +OWNER/);
  expect(listed.stdout).toMatch(
    new RegExp(
      `${prefix} +active +acme +the first +checks:read,checks:write,webhooks:write,schedules:write +standard .* never$`,
      'm',
    ),
  );
  const all = await allOf(dataDir);
  expect(all).toEqual([
    expect.objectContaining({ prefix, owner: 'acme', state: 'active', plan: 'standard', lastUsedAt: null }),
  ]);
  expect(all[0]).not.toHaveProperty('hash');
  expect((await keysHere(dataDir, ['list', '--owner', 'umbrella'])).stderr).toContain('create --owner OWNER');
  expectNotStored(secret, dataDir);
});

test('without a running service, a key can be revoked, and a second revocation says when it was revoked', async () => {
  const dataDir = aFolder();
  const { prefix = '', secret = '' } = keyParts((await keysHere(dataDir, aKey)).stdout.trim()) ?? {};
  expect(await keys(dataDir, ['revoke', prefix])).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/is revoked/),
  });
  expect(await keysHere(dataDir, ['revoke', prefix])).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/was revoked before, at 20/),
  });
  expect(await allOf(dataDir)).toMatchObject([{ state: 'revoked' }]);
  expectNotStored(secret, dataDir);
});

test('a running service accepts a new key at once, and the command can print it as JSON', async () => {
  const dataDir = aFolder();
  const service = await startLocally(dataDir, { AUTH: 'keys' });
  stops.push(service.stop);

  const request = (key?: string) =>
    fetch(`${service.url}/v1/checks/00000000-0000-4000-8000-000000000000`, {
      headers: key ? { authorization: `Bearer ${key}` } : {},
    });
  expect((await request()).status).toBe(401);
  const printed = /^ {2}KEY=.*$/m.exec(service.output())?.[0]; // works when it is copied
  const shell = spawnSync('bash', ['-c', `${printed}; printf %s "$KEY"`], { encoding: 'utf8' });
  expect((await request(shell.stdout)).status, shell.stderr).toBe(404);
  const { key, ...created } = JSON.parse((await keys(dataDir, [...aKey, '--json'])).stdout);
  expect((await request(key)).status).toBe(404);
  expect(created).toMatchObject({ owner: 'acme', name: 'the first', expiresAt: null, state: 'active' });
  const stored = await allOf(dataDir);
  expect(stored).toHaveLength(2);
  for (const { lastUsedAt } of stored) expect(lastUsedAt).not.toBeNull();
});

test('a folder that is not there is refused, and the command makes none', async () => {
  const dataDir = join(aFolder(), 'data');
  const { code, stderr } = await keys(dataDir, aKey);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `The data folder ${dataDir} does not exist. Start the service once, or set DATA_DIR to the folder of its data.\n`,
  });
  expect(existsSync(dataDir)).toBe(false);
});

test('the keys of an environment are in its table', async () => {
  const aws = await startEngines({}, { regions: ['us-west1'], environment: 'dev-1' });
  const http = await serveOnHttp(aws);
  stops.push(http.close, aws.close);
  const { stdout } = await keys(aFolder(), [...aKey, '--environment', 'dev', '--json'], http.env);
  const store = keyStore(openDb({ TABLE_NAME: 'page-audit-dev-1', HOME_REGION: 'us-west-2', OPEN_SHARDS: 1 }));
  expect((await store.list()).keys).toEqual([expect.objectContaining({ prefix: JSON.parse(stdout).prefix })]);
  const prod = await keys(aFolder(), ['list', '--environment', 'prod'], http.env);
  const none = await keys(aFolder(), ['revoke', 'x', '--environment', 'dev'], http.env);
  expect(none.stderr).toContain('npm run keys -- list --environment dev');
  expect(prod).toMatchObject({ code: 1, stderr: expect.stringContaining('Deploy it first') });
});

test('a key whose item is damaged or of a later release is listed as unreadable, and can be revoked', async () => {
  const dataDir = aFolder();
  const damaged = [];
  for (const name of ['plan', 'owner', 'revokedAt'] as const) {
    const { prefix } = JSON.parse((await keysHere(dataDir, [...aKey, '--json'])).stdout);
    process.env.DATA_DIR = dataDir;
    await withTable(undefined, (db) =>
      updateItem(db, apiKeyKey(prefix), { set: { [name]: 'of later' }, ...ifExists }).then(() => {}),
    );
    damaged.push(prefix);
  }
  const { prefix: sound } = JSON.parse((await keysHere(dataDir, [...aKey, '--json'])).stdout);
  const [plan, owner] = damaged;
  const { stdout } = await keysHere(dataDir, ['list', '--owner', 'acme']);
  expect(stdout).toMatch(new RegExp(`${sound} +active +acme`));
  expect(stdout).toMatch(
    new RegExp(`${plan} +unreadable +acme +the first +checks:read,checks:write,webhooks:write,schedules:write +\\? `),
  );
  expect(stdout).toMatch(new RegExp(`${owner} +unreadable +\\? `));

  for (const prefix of damaged) {
    const revoked = JSON.parse((await keysHere(dataDir, ['revoke', prefix, '--json'])).stdout);
    expect(revoked).toEqual({ prefix, revokedAt: expect.any(String), state: 'revoked' });
  }
  const states = Object.fromEntries(
    (await allOf(dataDir)).map((key: ApiKey & { state: string }) => [key.prefix, key.state]),
  );
  expect(states).toEqual({ [sound]: 'active', ...Object.fromEntries(damaged.map((prefix) => [prefix, 'revoked'])) });
  const { stderr } = await keysHere(dataDir, ['revoke', plan]);
  expect(stderr).toContain(`The key ${plan} is revoked. The rest of its stored item can't be read.`);
});

test('further keys of an owner have its plan, unless --plan is given', async () => {
  const dataDir = aFolder();
  for (const more of [['--plan', 'large'], [], ['--plan', 'small']]) {
    const created = await keysHere(dataDir, [...aKey, ...more]);
    expect(created.stderr.includes('another plan')).toBe(more[1] === 'small');
  }
  expect(await allOf(dataDir)).toMatchObject([{ plan: 'large' }, { plan: 'large' }, { plan: 'small' }]);
});

test.each([
  [[], 'Use create, list or revoke.'],
  [['destroy'], 'There is no command "destroy".'],
  [['create'], '--owner: Name the owner of the key'],
  [['create', '--owner', 'A b', '--name', 'x'], '--owner: an owner has up to 64'],
  [['create', '--owner', 'acme'], '--name: Say what the key is for'],
  [
    [...aKey, '--scopes', 'all'],
    '--scopes: Use one or more of checks:read,checks:write,webhooks:write,schedules:write',
  ],
  [[...aKey, '--plan', 'huge'], '--plan: Use one of small, standard, large'],
  [[...aKey, '--expires', 'tomorrow'], '--expires: Use a time in the future, for example 12h, 90d'],
  [[...aKey, '--expires', '2020-01-01'], '--expires: Use a time in the future'],
  [[...aKey, 'more'], '"more" is not expected here.'],
  [[...aKey, '--colour', 'red'], '--colour'],
  [['revoke'], 'The prefix of the key is missing.'],
])('%j is rejected with a valid value', (args, message) => {
  expect(() => commandFrom(args)).toThrow(UsageError);
  expect(() => commandFrom(args)).toThrow(message);
});

test.each([
  [['create'], '--owner: Name the owner of the key'],
  [['revoke', 'nonsense'], 'There is no key with the prefix "nonsense"'],
])('%j exits with 2 and names the help', async (args, message) => {
  const { code, stdout, stderr } = await keys(aFolder(), args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr).toContain('npm run keys -- --help');
});

/** Starts the service with invalid settings. Returns its exit code and its messages. */
const rejection = (env: Record<string, string>) =>
  new Promise<string>((resolve) => {
    const all = { PATH: process.env.PATH, DATA_DIR: aFolder(), PORT: '0', ...env };
    execFile(process.execPath, ['infra/local/main.ts'], { env: all, timeout: 60_000 }, (error, _, stderr) =>
      resolve(`${error?.code} ${stderr}`),
    );
  });

test('HOST=0.0.0.0 is rejected without keys', async () => {
  expect(await rejection({ HOST: '0.0.0.0' })).toMatch(
    /^1 With HOST=.* Set AUTH=keys too, or leave HOST at 127.0.0.1./,
  );
});

test('a service that other machines reach audits no local page, unless TARGETS=local', async () => {
  const create = async (env: Record<string, string>) => {
    const dataDir = aFolder();
    const service = await startLocally(dataDir, { HOST: '0.0.0.0', AUTH: 'keys', ...env });
    stops.push(service.stop);
    const authorization = `Bearer ${(await keysHere(dataDir, aKey)).stdout.trim()}`;
    const body = JSON.stringify({ url: 'http://127.0.0.1:4999/', auditVersion: 'latest', regions: ['us-west1'] });
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await fetch(`${service.url}/v1/checks`, { method: 'POST', headers, body });
    return [answer.status, ((await answer.json()) as { code?: string }).code];
  };
  expect(await create({})).toEqual([400, 'forbidden-target']);
  expect(await create({ TARGETS: 'local' })).toEqual([201, undefined]);
});

test('an address of another machine is rejected by name', async () => {
  expect(await rejection({ HOST: '192.0.2.1', AUTH: 'keys' })).toMatch(
    /^1 192.0.2.1 is not an address of this machine. Set HOST/,
  );
});
