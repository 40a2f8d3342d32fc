import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

type Locked = { integrity?: string; inBundle?: boolean; link?: boolean; hasInstallScript?: boolean };

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const locked = Object.entries(JSON.parse(read('package-lock.json')).packages as Record<string, Locked>).filter(
  ([path, { link }]) => path.startsWith('node_modules/') && !link, // the others are folders of this repository
);

test('every package has a SHA-512 hash, unless it is bundled in another one', () => {
  const withoutHash = locked.filter(([, { integrity, inBundle }]) => !integrity?.startsWith('sha512-') && !inBundle);
  expect(withoutHash.map(([path]) => path)).toEqual([]);
});

test('every bundled package is inside a package with a SHA-512 hash', () => {
  const paths = new Map(locked);
  for (const [path] of locked.filter(([, { inBundle }]) => inBundle)) {
    expect(paths.get(path.slice(0, path.indexOf('/node_modules/')))?.integrity, path).toMatch(/^sha512-/);
  }
});

test('npm runs no install scripts, which only two packages have', () => {
  expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
  const withScripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
  expect(withScripts).toEqual(['node_modules/classic-level', 'node_modules/esbuild']);
});
