import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
type Graph = ReadonlyMap<string, readonly string[]>;

const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|tsx|js)$/.test(path) && !path.includes('node_modules/'))
    .map((path) => join(folder, path));

/** Returns the files that a source imports, also if it imports only types or imports them later. */
const importsOf = (path: string, source: string): string[] =>
  [...source.matchAll(/\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map(([, target = '']) =>
    join(dirname(path), target),
  );

const graphOf = (sources: readonly (readonly [string, string])[]): Graph =>
  new Map(sources.map(([path, source]) => [path, importsOf(path, source)]));

/** Returns a cycle for each import that closes one, from the file that is imported to itself. */
const cyclesIn = (graph: Graph): string[] => {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
    if (trail.includes(path) || done.has(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
};

test('no file of the service and its clients imports itself through others, not even for types', () => {
  const paths = ['clients', 'functions', 'infra', 'shared'].flatMap(filesIn);
  const graph = graphOf(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
  expect([...graph.values()].flat().length).toBeGreaterThan(1000);
  expect(cyclesIn(graph)).toEqual([]);
});

test('a cycle is found: through a type, a later import and an export', () => {
  const graph = graphOf([
    ['a/one.ts', "import type { Two } from '../b/two.ts';"],
    ['b/two.ts', "export const three = () => import('./three.ts');"],
    ['b/three.ts', "export { one } from '../a/one.ts';\nimport { four } from './four.ts';"],
    ['b/four.ts', "import 'node:fs';"],
  ]);
  expect(cyclesIn(graph)).toEqual(['a/one.ts → b/two.ts → b/three.ts → a/one.ts']);
});
