import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { extraFolder } from './extra-packages.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Generates TypeScript types of every route, as a reader of the OpenAPI document does. Returns the types and the generator's warnings. */
export const generateTypes = async (folder: string, document: object): Promise<{ types: string; warnings: string }> => {
  const [from, to] = [join(folder, 'openapi.json'), join(folder, 'api.d.ts')];
  await writeFile(from, JSON.stringify(document));
  const generator = join(extraFolder('generators'), 'openapi-typescript/bin/cli.js');
  const { stderr } = await run(process.execPath, [generator, from, '-o', to]);
  return { types: await readFile(to, 'utf8'), warnings: stderr };
};

/** A client in the types of the document alone. It also proves that the types of our own client are those of the document. */
const program = `
import type { CheckView, CreateCheckBody } from '${root}/shared/check.ts';
import type { CheckComparison, RegionComparison } from '${root}/shared/comparison/schemas.ts';
import type { Problem } from '${root}/shared/problems.ts';
import type { CheckSummary } from '${root}/shared/summaries.ts';
import type { RunView } from '${root}/shared/run.ts';
import type { CreatedCheck } from '${root}/clients/api/client.ts';
import type { ListFilters, PageFilters } from '${root}/clients/api/lists.ts';
import type { components, operations, paths } from './api.d.ts';

type Schemas = components['schemas'];
type Same<Ours, Documented> = [Ours] extends [Documented] ? ([Documented] extends [Ours] ? true : 'ours is narrower') : 'ours is wider';
export const same: [
  Same<CheckView, Schemas['Check']>,
  Same<RunView, Schemas['Run']>,
  Same<CheckSummary, Schemas['CheckSummary']>,
  Same<CreatedCheck, Schemas['CreatedCheck']>,
  Same<RegionComparison, Schemas['RegionComparison']>,
  Same<CheckComparison, Schemas['CheckComparison']>,
  Same<Problem, Schemas['Problem']>,
  Same<keyof CreateCheckBody, keyof Schemas['CreateCheck']>,
  Same<keyof ListFilters, keyof NonNullable<operations['listChecks']['parameters']['query']>>,
  Same<keyof PageFilters, keyof NonNullable<operations['listPages']['parameters']['query']>>,
] = [true, true, true, true, true, true, true, true, true, true];

type Create = paths['/v1/checks']['post'];
type Get = paths['/v1/checks/{checkId}']['get'];
const server = process.argv[2];
const body: Create['requestBody']['content']['application/json'] = {
  url: 'https://example.com/',
  auditVersion: 'latest',
  regions: ['us-west1'],
};
const headers = { 'content-type': 'application/json' };
const answer = await fetch(server + '/v1/checks', { method: 'POST', headers, body: JSON.stringify(body) });
const created: Create['responses'][201]['content']['application/json'] = await answer.json();
const check: Get['responses'][200]['content']['application/json'] = await (await fetch(server + '/v1/checks/' + created.id)).json();
// @ts-expect-error: a check has no score
check.score;
console.log(check.runs.map(({ region, state }) => region + ' ' + state).join());
`;

/** Checks the types of a client that uses the generated types in the folder, runs the client, and returns its output. */
export const runDocumentClient = async (folder: string, server: string): Promise<string> => {
  const options = {
    extends: join(root, 'tsconfig.json'),
    include: ['.'],
    compilerOptions: { typeRoots: [join(root, 'node_modules/@types')] },
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(options));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'client.ts'), program);
  await nameReleases(join(folder, 'api.d.ts'));
  await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder]).catch(({ stdout }) => {
    throw new Error(stdout);
  });
  return (await run(process.execPath, [join(folder, 'client.ts'), server])).stdout.trim();
};

/** Narrows the documented releases, of which uploads may have any, to those in which the service audits. */
const nameReleases = async (file: string): Promise<void> => {
  const documented = await readFile(file, 'utf8');
  const named = documented.replace(
    /AuditVersion: string;/,
    `AuditVersion: import('${root}/shared/name-schemas.ts').AuditVersion;`,
  );
  if (named === documented) throw new Error('The document has no release of Lighthouse as a text.');
  await writeFile(file, named);
};
