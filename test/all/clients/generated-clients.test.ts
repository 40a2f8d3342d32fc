import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApiDocument } from '../../../shared/openapi/document.ts';
import { type Api, startApi } from '../../support/api.ts';
import { generateTypes, runDocumentClient } from '../../support/document-client.ts';
import { installExtra } from '../../support/extra-packages.ts';
import { generatorNames, runGenerated } from '../../support/generated-clients.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let api: Api;
beforeAll(async () => {
  await installExtra('generators');
  api = await startApi();
}, 600_000); // the first time, some 30 MB from the registry
afterAll(() => api?.stop());

const documented = temporaryFolder('documented');
const folders = Object.fromEntries(generatorNames.map((name) => [name, temporaryFolder('generated')]));

test.each(generatorNames)('%s makes a client that compiles strictly, and creates and reads a check', async (name) => {
  const made = { document: openApiDocument(), server: api.url };
  expect(await runGenerated(name, folders[name] as string, made)).toBe('us-west1 created');
});

test('openapi-typescript makes the types of a client that works, without a warning, and ours has the same types', async () => {
  const { types, warnings } = await generateTypes(documented, openApiDocument());
  expect(warnings).toBe('');
  expect(types).toContain('state: components["schemas"]["CheckState"];');
  expect(types).not.toContain(
    'unknown;\n                        };\n                    };\n                    content: never',
  );
  expect(await runDocumentClient(documented, api.url)).toBe('us-west1 created');
}, 300_000); // two runs of the compiler, on a machine that may be busy
