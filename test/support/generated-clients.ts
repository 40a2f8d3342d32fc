import { execFile } from 'node:child_process';
import { glob, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { extraFolder } from './extra-packages.ts';

const root = join(import.meta.dirname, '../..');
const packages = extraFolder('generators');
const run = promisify(execFile);

const body = `{ url: 'https://example.com/', auditVersion: 'latest', regions: ['us-west1'] }`;

type Generator = {
  /** Program in the folder of packages, and its arguments. */
  command: (files: { document: string; to: string; config: string }) => [string, ...string[]];
  config?: (files: { document: string; to: string; server: string }) => string;
  /** Creates a check at the address in \`server\` and reads it, in the client's own words. Ends with a value of \`check\`. */
  program: string;
};

const generators = {
  '@hey-api/openapi-ts': {
    command: ({ document, to }) => ['@hey-api/openapi-ts/bin/run.js', '-i', document, '-o', to, '--no-log-file'],
    program: `
      import { client } from './client/client.gen';
      import { createCheck, getCheck } from './client/sdk.gen';
      client.setConfig({ baseUrl: server });
      const created = await createCheck({ body: ${body}, throwOnError: true });
      const { data: check } = await getCheck({ path: { checkId: created.data.id }, throwOnError: true });`,
  },
  'openapi-typescript-codegen': {
    command: ({ document, to }) => ['openapi-typescript-codegen/bin/index.js', '--input', document, '--output', to],
    program: `
      import { ChecksService, CreateCheck, OpenAPI, Region } from './client';
      OpenAPI.BASE = server;
      const { LATEST } = CreateCheck.auditVersion;
      const body = { url: 'https://example.com/', auditVersion: LATEST, regions: [Region.US_WEST1] };
      const created = await ChecksService.createCheck(body);
      const check = await ChecksService.getCheck(created.id);`,
  },
  oazapfts: {
    command: ({ document, to }) => ['oazapfts/dist/cli.js', document, `${to}/index.ts`],
    program: `
      import { createCheck, defaults, getCheck } from './client';
      defaults.baseUrl = server;
      const created = await createCheck(${body});
      if (created.status !== 201) throw new Error(JSON.stringify(created.data));
      const answer = await getCheck(created.data.id);
      if (answer.status !== 200) throw new Error(String(answer.status));
      const check = answer.data;`,
  },
  'swagger-typescript-api': {
    command: ({ document, to }) => [
      'swagger-typescript-api/dist/cli.mjs',
      'generate',
      '-p',
      document,
      '-o',
      to,
      '-n',
      'index.ts',
    ],
    program: `
      import { Api, Region } from './client';
      const { v1 } = new Api({ baseUrl: server });
      const body = { url: 'https://example.com/', auditVersion: 'latest' as const, regions: [Region.UsWest1] };
      const created = await v1.createCheck(body);
      const { data: check } = await v1.getCheck(created.data.id);`,
  },
  orval: {
    command: ({ config }) => ['orval/dist/bin/orval.mjs', '--config', config],
    config: ({ document, to, server }) => `export default {
      fetch: { input: '${document}', output: { target: '${to}/fetch.ts', client: 'fetch', baseUrl: '${server}' } },
      zod: { input: '${document}', output: { target: '${to}/zod.ts', client: 'zod' } },
    };`,
    program: `
      import { createCheck, getCheck } from './client/fetch';
      import { CreateCheckBody, GetCheckResponse } from './client/zod';
      const created = await createCheck(CreateCheckBody.parse(${body}));
      if (created.status !== 201) throw new Error(JSON.stringify(created.data));
      const check = GetCheckResponse.parse((await getCheck(created.data.id)).data);`,
  },
} as const satisfies Record<string, Generator>;

export const generatorNames = Object.keys(generators) as (keyof typeof generators)[];

const compilerOptions = {
  strict: true,
  noEmit: true,
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: [],
};

/** Generates a client in an empty folder, compiles it strictly with a program, and returns what the program prints. */
export const runGenerated = async (
  name: keyof typeof generators,
  folder: string,
  { document, server }: { document: object; server: string },
): Promise<string> => {
  const generator: Generator = generators[name];
  const files = {
    document: join(folder, 'openapi.json'),
    to: join(folder, 'client'),
    config: join(folder, 'config.mjs'),
  };
  await mkdir(files.to);
  await symlink(packages, join(folder, 'node_modules'));
  await writeFile(files.document, JSON.stringify(document));
  if (generator.config) await writeFile(files.config, generator.config({ ...files, server }));
  const [program, ...args] = generator.command(files);
  const env = { PATH: process.env.PATH, DO_NOT_TRACK: '1' };
  await run(process.execPath, [join(packages, program), ...args], { cwd: folder, env });

  for await (const file of glob(`${files.to}/**/*.ts`)) {
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replaceAll('@ts-nocheck', '')); // with it, the compiler would find no error
  }
  const print = 'console.log(check.runs.map(({ region, state }) => region + " " + state).join());';
  await writeFile(join(folder, 'main.ts'), `const server = '${server}';${generator.program}\n${print}`);
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['main.ts', 'client'] }));
  await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder]).catch(({ stdout }) => {
    throw new Error(stdout);
  });

  const outfile = join(folder, 'main.mjs');
  await build({ entryPoints: [join(folder, 'main.ts')], bundle: true, platform: 'node', format: 'esm', outfile });
  return (await run(process.execPath, [outfile])).stdout.trim();
};
