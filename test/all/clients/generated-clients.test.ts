import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApiDocument } from '../../../shared/openapi/document.ts';
import { type Api, startApi } from '../../support/api.ts';
import { generatorNames, installGenerators, runGenerated } from '../../support/generated-clients.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let api: Api;
beforeAll(async () => {
  await installGenerators();
  api = await startApi();
}, 600_000); // the first time, some 30 MB from the registry
afterAll(() => api?.stop());

const folders = Object.fromEntries(generatorNames.map((name) => [name, temporaryFolder('generated')]));

test.each(generatorNames)('%s makes a client that compiles strictly, and creates and reads a check', async (name) => {
  const made = { document: openApiDocument(), server: api.url };
  expect(await runGenerated(name, folders[name] as string, made)).toBe('us-west1 created');
});
