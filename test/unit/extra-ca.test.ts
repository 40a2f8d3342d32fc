import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { extraAuthorities, trustedAuthorities } from '../../functions/lib/targets/extra-ca.ts';
import { postWebhook } from '../../functions/lib/webhooks/post-webhook.ts';
import { settingsFrom } from '../../infra/local/start-settings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('extra-ca');
const pem = (name: string) => fileURLToPath(new URL(`../support/${name}.pem`, import.meta.url));
const fileOf = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const authority = readFileSync(pem('test-authority'), 'utf8');

test('the authorities of a file are read', () => {
  expect(extraAuthorities(fileOf('two.pem', authority + authority)).map(({ subject }) => subject)).toEqual([
    'O=Tests\nCN=authority of the tests',
    'O=Tests\nCN=authority of the tests',
  ]);
});

test.each([
  ['a missing file', () => join(folder, 'none.pem'), /can't be read \(ENOENT\)/],
  ['a file without an end', () => '/dev/zero', /is larger than 4 MiB/],
  ['a file without certificates', () => fileOf('empty.pem', 'none'), /has no certificate/],
  [
    'a damaged certificate',
    () => fileOf('bad.pem', authority.replace(/(BEGIN CERTIFICATE-----\n).{8}/, '$1AAAAAAAA')),
    /is damaged/,
  ],
  ['the certificate of a server', () => pem('test-authority-site'), /"CN=site" .* none of an authority/],
])('%s stops the start with its cause', (_, file, message) => {
  expect(() => settingsFrom({ EXTRA_CA_FILE: file() })).toThrow(message);
  expect(() => settingsFrom({ EXTRA_CA_FILE: file() })).toThrow(/EXTRA_CA_FILE/);
});

test('an authority that has expired is refused', () => {
  expect(() => extraAuthorities(pem('test-authority'), new Date('2200-01-01'))).toThrow(/has expired/);
});

test('a webhook is delivered to a receiver whose certificate an extra authority has issued, and to no other one', async () => {
  expect(trustedAuthorities(undefined)).toBeUndefined();
  const ca = trustedAuthorities(pem('test-authority'));
  expect(ca?.length).toBeGreaterThan(100); // the public ones too
  const targets = { targets: 'local', ports: [] } as const;
  const outcomes: unknown[] = [];
  for (const name of ['test-authority-site', 'test-authority-other', 'test-certificate']) {
    const both = readFileSync(pem(name));
    const server = createServer({ key: both, cert: both }, (_, response) => response.end());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    for (const authorities of [ca, undefined]) {
      const posted = await postWebhook({ targets, ca: authorities })(url, {}, '{}');
      outcomes.push(posted.status ?? /\((\w+)\)/.exec('error' in posted ? posted.error : '')?.[1]);
    }
    server.close();
  }
  expect(outcomes).toEqual([
    ...[200, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ...['ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ]);
});
