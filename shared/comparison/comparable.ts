import { type SpoilingOption, spoilingOptions } from '../audit-options.ts';
import type { NamedSecrets } from '../secrets.ts';
import { presets, type Throttling, throttlingNames } from '../throttling.ts';

/**
 * How a page was audited. A null fact is unknown, because older entries of a series lack some. A missing fact has the
 * default of a create.
 */
export type AuditedAs = NamedSecrets & {
  url: string;
  device?: string | undefined;
  auditVersion: string;
  throttling?: Throttling | null | undefined;
  blockedUrlPatterns?: readonly string[] | null | undefined;
  /** Categories that were audited. */
  categories?: readonly string[] | null | undefined;
};
export type Fact = string | Throttling | string[];

/** Something that somebody changed between two audits, with both values. */
export type Difference = { code: DifferenceCode; base: Fact; value: Fact };
export type DifferenceCode = 'url' | 'auditVersion' | SpoilingOption;
export const differenceCodes: readonly DifferenceCode[] = ['url', 'auditVersion', ...spoilingOptions];

const deviceOf = ({ device = 'mobile' }: AuditedAs): string => device;
const throttlingOf = (audited: AuditedAs): Throttling | null =>
  audited.throttling === undefined ? presetOf(audited) : audited.throttling;
const presetOf = (audited: AuditedAs): Throttling | null =>
  (presets as Record<string, Throttling>)[deviceOf(audited)] ?? null;

/** The choices of people about an audit, as answers show them. Null is unknown. */
const facts: Record<DifferenceCode, (audited: AuditedAs) => Fact | null> = {
  url: ({ url }) => url,
  device: deviceOf,
  auditVersion: ({ auditVersion }) => auditVersion,
  throttling: throttlingOf,
  blockedUrlPatterns: ({ blockedUrlPatterns = [] }) => blockedUrlPatterns && [...blockedUrlPatterns],
  categories: ({ categories = null }) => categories && [...categories],
  headers: ({ headers = [] }) => [...headers],
  basicAuth: ({ basicAuth }) => (basicAuth ? 'sent' : 'none'),
  cookies: ({ cookies = [] }) => [...cookies],
  storageState: ({ storageState }) => [...(storageState?.cookies ?? []), ...(storageState?.origins ?? [])],
};

/** Returns a key that is equal for lists with the same texts. */
const setKey = (list: readonly string[] = []): string => JSON.stringify([...new Set(list)].sort());

/** Returns a fact as a text that is equal for equal audits. */
const keys: Record<DifferenceCode, (audited: AuditedAs) => string> = {
  url: ({ url }) => (URL.canParse(url) ? new URL(url).href : url),
  device: deviceOf,
  auditVersion: ({ auditVersion }) => auditVersion,
  throttling: (audited) => {
    const [values, preset] = [throttlingOf(audited), presetOf(audited)];
    const textOf = (of: Throttling | null) =>
      of && of !== 'none' ? throttlingNames.map((name) => of[name]).join() : of;
    return textOf(values) === textOf(preset) ? 'preset' : `${textOf(values)}`; // the device itself has a difference
  },
  blockedUrlPatterns: ({ blockedUrlPatterns }) => setKey(blockedUrlPatterns ?? []),
  // only versions up to 11 have PWA, so it differs with the version
  categories: ({ categories }) => setKey(categories?.filter((name) => name !== 'pwa')),
  headers: ({ headers }) => setKey(headers),
  basicAuth: ({ basicAuth }) => `${basicAuth === true}`,
  cookies: ({ cookies }) => setKey(cookies),
  storageState: ({ storageState }) => setKey([...(storageState?.cookies ?? []), ...(storageState?.origins ?? [])]),
};

/** Returns what differs between two audits of pages. Unknown facts are equal to all others. */
export const differencesOf = (base: AuditedAs, value: AuditedAs): Difference[] =>
  differenceCodes.flatMap((code) => {
    const [before, after] = [facts[code](base), facts[code](value)];
    const isEqual = before === null || after === null || keys[code](base) === keys[code](value);
    return isEqual ? [] : [{ code, base: before, value: after }];
  });

/** Speed and load of the machine during an audit. */
export type MeasuredOn = { contended: boolean | null; benchmarkIndex: number | null };

/** Two machines are different if the benchmark index of one is more than a fifth higher. */
const MAX_BENCHMARK_RATIO = 1.2;

/** Returns true if the machines differ in speed. An unknown speed is equal to all others. */
export const isOtherMachine = (base: MeasuredOn, value: MeasuredOn): boolean => {
  if (base.benchmarkIndex === null || value.benchmarkIndex === null) return false;
  const indexes = [base.benchmarkIndex, value.benchmarkIndex] as const;
  return Math.max(...indexes) > MAX_BENCHMARK_RATIO * Math.min(...indexes);
};

/** Returns why a run is not comparable with the newest run of its series. */
export const reasonsAgainst = (
  newest: AuditedAs & MeasuredOn,
  run: AuditedAs & MeasuredOn,
): (DifferenceCode | 'contended' | 'different-machine')[] => [
  ...(run.contended ? (['contended'] as const) : []),
  ...differencesOf(newest, run).map(({ code }) => code),
  ...(isOtherMachine(newest, run) ? (['different-machine'] as const) : []),
];
