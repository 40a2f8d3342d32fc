import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

type Locked = { integrity?: string; inBundle?: boolean; hasInstallScript?: boolean };

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const locked = Object.entries(JSON.parse(read('package-lock.json')).packages as Record<string, Locked>).filter(
  ([path]) => path !== '', // the project itself
);

test('every package that is installed is known by its hash', () => {
  const unknown = locked.filter(([, { integrity, inBundle }]) => !integrity?.startsWith('sha512-') && !inBundle);
  expect(unknown.map(([path]) => path)).toEqual([]);
});

test('what comes inside another package comes inside one whose hash is known', () => {
  const paths = new Map(locked);
  for (const [path] of locked.filter(([, { inBundle }]) => inBundle)) {
    expect(paths.get(path.slice(0, path.indexOf('/node_modules/')))?.integrity, path).toMatch(/^sha512-/);
  }
});

test('no package runs a script as it is installed, though two would', () => {
  expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
  const would = locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
  expect(would).toEqual(['node_modules/classic-level', 'node_modules/esbuild']);
});
