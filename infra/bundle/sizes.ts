import { type Files, sizesOf } from './files.ts';

/** Files of a deployed function, and the bytes that each library and each source file adds. */
export type Asset = { files: Files; parts: Map<string, number> };

/** Returns the bytes of each package, and of each file outside packages. */
export const partsOf = (sizes: [string, number][]): Map<string, number> => {
  const parts = new Map<string, number>();
  for (const [path, bytes] of sizes) {
    const part = /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path;
    parts.set(part, (parts.get(part) ?? 0) + bytes);
  }
  return parts;
};

/**
 * Returns the bytes of an asset and of its source maps. Throws an error with the largest parts if the limit is reached.
 */
export const checkSize = (name: string, { files, parts }: Asset, limit: number): { all: number; maps: number } => {
  const sum = (of: [string, number][]) => of.reduce((total, [, bytes]) => total + bytes, 0);
  const sizes = sizesOf(files);
  const all = sum(sizes);
  if (all < limit) return { all, maps: sum(sizes.filter(([path]) => path.endsWith('.map'))) };
  const largest = [...parts].sort(([, a], [, b]) => b - a).slice(0, 10);
  const lines = largest.map(([part, bytes]) => `  ${mb(bytes).padStart(8)} MB  ${part}`);
  throw new Error(
    `${name} has ${mb(all)} MB, and its limit is ${mb(limit)} MB. Make its ten largest parts smaller:\n${lines.join('\n')}`,
  );
};

export const mb = (bytes: number): string => (bytes / 1e6).toFixed(2);
