import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../shared/openapi/document.ts';
import { routes } from '../../shared/service/routes.ts';

const root = join(import.meta.dirname, '../..');
const document = openApiDocument();

test('the OpenAPI document is built once', () => {
  expect(openApiDocument()).toBe(document);
});

test('the OpenAPI document has every route and no other', () => {
  const documented = Object.entries(document.paths ?? {}).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
});

test('every JSON body in the OpenAPI document has an example', () => {
  const bodies = JSON.stringify(document.paths).matchAll(/"application\/json":\{"(\w+)"/g);
  const names = [...bodies].map(([, first]) => first);
  expect(names.length).toBeGreaterThan(15);
  expect(names.filter((first) => first !== 'example')).toEqual([]);
});

/** Returns the objects of a JSON value, itself first. */
const objectsOf = (value: unknown): Record<string, unknown>[] =>
  typeof value !== 'object' || value === null
    ? []
    : [...(Array.isArray(value) ? [] : [value as Record<string, unknown>]), ...Object.values(value).flatMap(objectsOf)];

test('generators of clients can use each schema', () => {
  for (const each of objectsOf(document)) {
    for (const part of (each.allOf ?? []) as object[])
      expect(Object.keys(part).some((key) => key === 'type' || key === '$ref')).toBe(true);
    if (typeof each.pattern === 'string') expect(each.pattern).not.toMatch(/\\[pP]\{|\\u\{/); // would need the flag u
    const isOpen = each.properties !== undefined && typeof each.additionalProperties === 'object';
    if (isOpen) expect(objectsOf(each.properties).filter((property) => 'const' in property)).toEqual([]);
  }
});

test('Redocly finds no fault in the OpenAPI document and its examples', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'page-audit-openapi-'));
  const file = join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(document));
  const redocly = join(root, 'node_modules/@redocly/cli/bin/cli.js');
  const args = [redocly, 'lint', '--config', join(root, 'test/support/redocly.yaml'), '--format', 'json', file];
  const env = { PATH: process.env.PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env }).catch((error) => error);
  expect(JSON.parse(stdout.slice(stdout.indexOf('{')))).toMatchObject({
    totals: { errors: 0, warnings: 0 },
    problems: [],
  });
  await rm(folder, { recursive: true });
});
