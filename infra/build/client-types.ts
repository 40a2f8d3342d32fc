import { writeFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { openApiDocument } from '../../shared/openapi/document.ts';

/** The file with the types of the HTTP client. */
export const clientTypesFile = new URL('../../clients/api.d.ts', import.meta.url);

const header =
  '// Generated from shared/openapi/document.ts. Run `npm run client-types` after a change of the API.\n\n';

/** Returns TypeScript types of every route, generated from the OpenAPI document. */
export const clientTypes = async (): Promise<string> => {
  // The generator needs the compiler API, which TypeScript 7 doesn't have. ts-morph contains an older compiler.
  const compiler = '@ts-morph/common/dist/typescript.js';
  const hooks = registerHooks({
    resolve: (name, context, next) => next(name === 'typescript' ? compiler : name, context),
  });
  const { default: generate, astToString } = await import('openapi-typescript').finally(() => hooks.deregister());
  return header + astToString(await generate(JSON.stringify(openApiDocument(), withoutExamples)));
};

const withoutExamples = (key: string, value: unknown): unknown => (key.startsWith('example') ? undefined : value);

if (import.meta.main) await writeFile(clientTypesFile, await clientTypes());
