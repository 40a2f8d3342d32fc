import type { ReportFacts, RequestFact, ScriptFact } from './facts.ts';
import type { RequestChange, RequestList, ScriptChange } from './schema.ts';

/** Two sides of what the two reports call by the same key. */
export type Pair<T> = { base: T | undefined; now: T | undefined };

export const pairsOf = <T>(base: ReadonlyMap<string, T>, now: ReadonlyMap<string, T>): Pair<T>[] =>
  [...new Set([...base.keys(), ...now.keys()])].map((key) => ({ base: base.get(key), now: now.get(key) }));

export const either = <T>({ base, now }: Pair<T>): T => (now ?? base) as T;

/** Smaller differences of a request are no change. The network varies, so a time needs a large difference. */
const MIN_BYTES = 1024;
const MIN_BYTES_SHARE = 0.05;
const MIN_REQUEST_MS = 200;
const MIN_REQUEST_RATIO = 1.5;
/** Lighthouse leaves out scripts with less time, so a missing script has 0 to 50 ms. */
const MIN_SCRIPT_MS = 50;
const MIN_SCRIPT_SHARE = 0.2;

export type RequestPair = Pair<RequestFact> & { list: RequestList; bytes: number; ms: number };

/** Returns the requests that differ. A request that is larger and slower is in both lists. */
export const requestPairs = (base: ReportFacts, now: ReportFacts, withTimes: boolean): RequestPair[] =>
  pairsOf(base.requests, now.requests).flatMap((pair) => {
    const bytes = (pair.now?.bytes ?? 0) - (pair.base?.bytes ?? 0);
    const ms = (pair.now?.ms ?? 0) - (pair.base?.ms ?? 0);
    const as = (list: RequestList): RequestPair => ({ ...pair, list, bytes, ms });
    if (!pair.base) return [as('added')];
    if (!pair.now) return [as('gone')];
    const largest = Math.max(pair.base.bytes, pair.now.bytes);
    const resized = Math.abs(bytes) >= Math.max(MIN_BYTES, MIN_BYTES_SHARE * largest);
    const [least, most] = [Math.min(pair.base.ms, pair.now.ms), Math.max(pair.base.ms, pair.now.ms)];
    const isDocument = either(pair).type === 'Document'; // its time is the server's response time
    const retimed = withTimes && !isDocument && most - least >= MIN_REQUEST_MS && most >= MIN_REQUEST_RATIO * least;
    return [
      ...(resized ? [as(bytes > 0 ? 'larger' : 'smaller')] : []),
      ...(retimed ? [as(ms > 0 ? 'slower' : 'faster')] : []),
    ];
  });

const isTime = (list: RequestList): boolean => list === 'slower' || list === 'faster';

/** Orders the pairs of a list by the size of their difference, the largest first. */
export const largestFirst = (a: RequestPair, b: RequestPair): number =>
  isTime(a.list) ? Math.abs(b.ms) - Math.abs(a.ms) : Math.abs(b.bytes) - Math.abs(a.bytes);

export const requestChange = (pair: RequestPair): RequestChange => {
  const { url, type, thirdParty } = either(pair);
  return {
    url,
    type,
    thirdParty,
    blocking: either(pair).blocking,
    baseBytes: pair.base?.bytes ?? null,
    bytes: pair.now?.bytes ?? null,
    baseMs: pair.base?.ms ?? null,
    ms: pair.now?.ms ?? null,
  };
};

export type ScriptPair = Pair<ScriptFact> & { ms: number };

/** Returns the scripts whose time on the main thread differs, the largest difference first. */
export const scriptPairs = (base: ReportFacts, now: ReportFacts): ScriptPair[] =>
  pairsOf(base.scripts, now.scripts)
    .map((pair) => ({ ...pair, ms: (pair.now?.ms ?? 0) - (pair.base?.ms ?? 0) }))
    .filter(({ base: a, now: b, ms }) => {
      const largest = Math.max(a?.ms ?? 0, b?.ms ?? 0);
      return Math.abs(ms) >= MIN_SCRIPT_MS && Math.abs(ms) >= MIN_SCRIPT_SHARE * largest;
    })
    .sort((a, b) => Math.abs(b.ms) - Math.abs(a.ms));

export const scriptChange = (pair: ScriptPair): ScriptChange => {
  const { url, thirdParty } = either(pair);
  const rounded = (ms: number | undefined) => (ms === undefined ? null : Math.round(ms));
  return { url, thirdParty, baseMs: rounded(pair.base?.ms), ms: rounded(pair.now?.ms) };
};
