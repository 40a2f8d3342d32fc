import { type Files, sizesOf } from './files.ts';

/** What is deployed of a function, and how many bytes of it each library and each file of ours is. */
export type Asset = { files: Files; parts: Map<string, number> };

/** Bytes by package, or by file where a path is in none. */
export const partsOf = (sizes: [string, number][]): Map<string, number> => {
  const parts = new Map<string, number>();
  for (const [path, bytes] of sizes) {
    const part = /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path;
    parts.set(part, (parts.get(part) ?? 0) + bytes);
  }
  return parts;
};

/** How large an asset is, source maps and all. Throws, naming its largest parts, where that is the limit or more. */
export const checkSize = (name: string, { files, parts }: Asset, limit: number): { all: number; maps: number } => {
  const sum = (of: [string, number][]) => of.reduce((total, [, bytes]) => total + bytes, 0);
  const sizes = sizesOf(files);
  const all = sum(sizes);
  if (all < limit) return { all, maps: sum(sizes.filter(([path]) => path.endsWith('.map'))) };
  const largest = [...parts].sort(([, a], [, b]) => b - a).slice(0, 10);
  const lines = largest.map(([part, bytes]) => `  ${mb(bytes).padStart(8)} MB  ${part}`);
  throw new Error(
    `${name} has ${mb(all)} MB and may have ${mb(limit)} MB. Its ten largest parts:\n${lines.join('\n')}`,
  );
};

export const mb = (bytes: number): string => (bytes / 1e6).toFixed(2);
