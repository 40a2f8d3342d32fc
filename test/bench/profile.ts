import type { Profiler } from 'node:inspector';

export type CpuProfile = Profiler.Profile;

/**
 * One part of the process, with its time on the main thread in milliseconds. `self` is the time in its own code.
 * `withNode` also counts the code of Node and V8 that it called.
 */
export type Part = { name: string; self: number; withNode: number };

/** The parts of the process while it did `count` pieces of work. `of` names them. */
export type Profile = { of: string; count: number; parts: Part[] };

const NODE = 'Node itself';
const COLLECTOR = 'garbage collection';
const NATIVE = 'native code';
const IDLE = 'idle';

const packages: [RegExp, string][] = [
  [/^(@aws-sdk|@smithy|@aws|@aws-crypto)\//, 'AWS SDK (@aws-sdk, @smithy)'],
  [/^zod$/, 'zod'],
];

/** Returns the parts of a profile, sorted by time. */
export const partsOf = ({ nodes, samples = [], timeDeltas = [] }: CpuProfile): Part[] => {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parentOf = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)));
  const callerOf = (node: Profiler.ProfileNode): string => {
    for (let at: Profiler.ProfileNode | undefined = node; at; at = parentOf.get(at.id)) {
      if (partOf(at) !== NODE) return partOf(at);
    }
    return NODE;
  };

  const parts = new Map<string, Part>();
  const add = (name: string, column: 'self' | 'withNode', microseconds: number) => {
    const part = parts.get(name) ?? { name, self: 0, withNode: 0 };
    part[column] += microseconds / 1000;
    parts.set(name, part);
  };
  for (const [i, id] of samples.entries()) {
    const node = byId.get(id);
    const microseconds = timeDeltas[i + 1] ?? 0; // until the next sample
    if (!node) continue;
    add(partOf(node), 'self', microseconds);
    add(callerOf(node), 'withNode', microseconds);
  }
  return [...parts.values()].sort((a, b) => b.withNode - a.withNode);
};

/** Returns true for the part in which the main thread waited. */
export const isIdle = ({ name }: Part): boolean => name === IDLE;

const partOf = ({ callFrame: { url, functionName } }: Profiler.ProfileNode): string => {
  switch (functionName) {
    case '(garbage collector)':
      return COLLECTOR;
    case '(program)':
      return NATIVE;
    case '(idle)':
      return IDLE;
  }
  const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (name) return packages.find(([pattern]) => pattern.test(name))?.[1] ?? `package ${name}`;
  if (url.includes('/functions/') || url.includes('/shared/')) return 'our functions';
  if (/\/infra\/local\/(table|database|queue|object|batch|in-process)/.test(url))
    return 'our table, queues and objects';
  if (url.includes('/infra/local/')) return 'our local gateway';
  return NODE;
};
