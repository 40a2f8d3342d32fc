import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import ajvFormats from 'ajv-formats';
import { expect } from 'vitest';

type Har = {
  log: {
    pages: { pageTimings: { onLoad: number } }[];
    entries: {
      request: { url: string; headers: Pair[]; cookies: Pair[] };
      response: { status: number; _error?: string; headers: Pair[]; cookies: Pair[] };
    }[];
  };
};
type Pair = { name: string; value: string };

const require = createRequire(import.meta.url);
const schemas = require('har-schema') as Record<string, object & { $id?: string }>;
const draft = JSON.parse(readFileSync(require.resolve('ajv/dist/refs/json-schema-draft-06.json'), 'utf8'));
const ajv = new Ajv({ strict: false, allErrors: true });
ajvFormats.default(ajv);
ajv.addMetaSchema(draft);
ajv.addSchema(Object.values(schemas));
const validate = ajv.getSchema('har.json#') ?? ajv.compile(schemas.har as object);

/** Expects that a value is a HAR by the published schema, and returns it. */
export const expectHar = (value: unknown): Har => {
  validate(value);
  expect(validate.errors ?? []).toEqual([]);
  return value as Har;
};
