import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditors } from '../../../functions/auditor/parent/auditors.ts';
import { type AuditVersion, auditVersions } from '../../../shared/audit-versions.ts';
import { auditorDir } from '../../support/auditor-dir.ts';
import { testChromium } from '../../support/chromium-dir.ts';
import { FULL } from '../../support/full.ts';
import { majorVersions } from '../../support/major-versions.ts';
import { anOrder } from '../../support/order.ts';

const pem = (name: string) => fileURLToPath(new URL(`../../support/${name}.pem`, import.meta.url));
const authority = readFileSync(pem('test-authority'), 'utf8');
const page = '<!doctype html><html lang="en"><title>Page</title><p>A page of the network</p></html>';

const servers: Server[] = [];
/** Serves a page with the certificate of a file. The server also sends the authority, as a chain may have it. */
const serve = async (name: string): Promise<string> => {
  const both = readFileSync(pem(name), 'utf8');
  const server = createServer({ key: both, cert: both + authority }, (_, response) => {
    response.setHeader('content-type', 'text/html').end(page);
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
};

let lab: ReturnType<typeof auditors>;
beforeAll(async () => {
  const targets = { targets: 'local', ports: [] } as const;
  const folders = { ...testChromium(), auditorDir: await auditorDir() };
  lab = auditors({ targets, ...folders, extraCaFile: pem('test-authority') });
  await lab.prepare();
});
afterAll(async () => {
  await lab.close();
  for (const server of servers) server.close();
});

const audit = (url: string, version: AuditVersion) =>
  lab.audit(anOrder({ url, auditVersion: version, categories: ['seo'] }), new AbortController().signal);

const newest = auditVersions[0].version;
const oldest = auditVersions.at(-1)?.version as AuditVersion;
test.each(FULL ? majorVersions.map(({ version }) => version) : [newest, oldest])(
  'version %s audits a page whose certificate an extra authority has issued',
  async (version) => {
    expect(await audit(await serve('test-authority-site'), version)).toMatchObject({ state: 'succeeded' });
  },
);

test.each([
  ['for another name of the same authority', 'test-authority-other'],
  ['that signed itself, with the authority beside it', 'test-certificate'],
])('a certificate %s stays invalid', async (_, name) => {
  expect(await audit(await serve(name), newest)).toMatchObject({ state: 'failed', error: { code: 'tls-error' } });
});
