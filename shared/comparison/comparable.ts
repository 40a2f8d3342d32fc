import type { Environment } from '../environment.ts';
import type { MetricName } from '../metrics/page-metrics.ts';
import { spoilingOptions } from '../options/audit-options.ts';
import type { NamedSecrets } from '../options/secrets.ts';
import { presets, type Throttling, throttlingNames } from '../options/throttling.ts';
import { recordOf } from '../record.ts';
import { type DifferenceCode, differenceCodes, isSpoiledBy, type MachineCode, spoilsAll } from './spoils.ts';

/** Facts about a run's environment that decide whether it can be compared. */
export const measuredNames = [
  'contended',
  'host',
  'benchmarkIndex',
  'chromium',
  'sandbox',
  'fonts',
  'revision',
] as const;
/** How a run was measured. A null fact is unknown. */
export type MeasuredOn = { [Name in (typeof measuredNames)[number]]: Environment[Name] | null };

/** Returns how a run was measured. An item of an earlier release lacks some facts. */
export const measuredOn = (environment: Partial<MeasuredOn> | null): MeasuredOn =>
  recordOf(measuredNames, (name) => environment?.[name] ?? null) as MeasuredOn;

/**
 * How a page was audited. A null fact is unknown, because the audit failed too early. A missing fact has the
 * default of a create.
 */
export type AuditedAs = NamedSecrets &
  Partial<MeasuredOn> & {
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

const deviceOf = ({ device = 'mobile' }: AuditedAs): string => device;
const throttlingOf = (audited: AuditedAs): Throttling | null =>
  audited.throttling === undefined ? presetOf(audited) : audited.throttling;
const presetOf = (audited: AuditedAs): Throttling | null =>
  (presets as Record<string, Throttling>)[deviceOf(audited)] ?? null;

const versionOf = ({ chromium }: AuditedAs): string | null => chromium?.split('/').at(-1) ?? null;

/** Texts of options that are plain values. */
const plain = recordOf(spoilingOptions, (name) => (audited: AuditedAs): string => {
  const value = (audited as Partial<Record<typeof name, unknown>>)[name];
  return typeof value === 'string' ? value : JSON.stringify(value ?? 'none');
});

/** How a page was audited, as answers show it. Null is unknown. */
const facts: Record<DifferenceCode, (audited: AuditedAs) => Fact | null> = {
  ...plain,
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
  chromium: versionOf,
  sandbox: ({ sandbox = null }) => (sandbox === null ? null : sandbox ? 'on' : 'off'),
  fonts: ({ fonts = null }) => fonts,
  revision: ({ revision = null }) => (revision === null ? null : `${revision}`),
};

/** Returns a key that is equal for lists with the same texts. */
const setKey = (list: readonly string[] = []): string => JSON.stringify([...new Set(list)].sort());

/** Returns a fact as a text that is equal for equal audits. */
const keys: Record<DifferenceCode, (audited: AuditedAs) => string> = {
  ...plain,
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
  chromium: (audited) => `${versionOf(audited)?.split('.')[0]}`,
  sandbox: ({ sandbox }) => `${sandbox}`,
  fonts: ({ fonts }) => `${fonts}`,
  revision: ({ revision }) => `${revision}`,
};

/** Returns what differs between two audits of pages. Unknown facts are equal to all others. */
export const differencesOf = (base: AuditedAs, value: AuditedAs): Difference[] =>
  differenceCodes.flatMap((code) => {
    const [before, after] = [facts[code](base), facts[code](value)];
    const isEqual = before === null || after === null || keys[code](base) === keys[code](value);
    return isEqual ? [] : [{ code, base: before, value: after }];
  });

/**
 * Returns two texts that are equal for runs of a page that can be compared: in all metrics, and in those that depend on the
 * machine too.
 */
export const seriesKeys = (audited: AuditedAs & Pick<MeasuredOn, 'host'>): { inputs: string; machine: string } => {
  const codes = differenceCodes.filter((code) => code !== 'url' && code !== 'device');
  const keyOf = (some: readonly DifferenceCode[]) => some.map((code) => keys[code](audited)).join();
  const ofMachine = codes.filter((code) => !spoilsAll(code) && isSpoiledBy('performance', code));
  return { inputs: keyOf(codes.filter(spoilsAll)), machine: `${keyOf(ofMachine)},${audited.host}` };
};

/** Returns each difference once. The regions of a check may differ in the same way. */
export const distinct = (differences: readonly Difference[]): Difference[] => [
  ...new Map(differences.map((each) => [JSON.stringify(each), each])).values(),
];

type Machine = Pick<MeasuredOn, 'host' | 'benchmarkIndex'>;

/** Beginning of the fingerprint of a machine that only the user agent of an uploaded report describes. */
export const UPLOADED_HOST = 'uploaded-';
/** Quotient of two benchmarks from which machines differ. The benchmark of one machine varies by a tenth. */
const OTHER_SPEED = 1.3;

/**
 * Returns true if the machines are of different kinds. An unknown one is equal to all others. The fingerprint of an uploaded
 * report has no CPU, so the speed distinguishes such machines.
 */
export const isOtherMachine = (base: Machine, value: Machine): boolean => {
  if (base.host === null || value.host === null) return false;
  return base.host !== value.host || (base.host.startsWith(UPLOADED_HOST) && hasOtherSpeed(base, value));
};

const hasOtherSpeed = ({ benchmarkIndex: a }: Machine, { benchmarkIndex: b }: Machine): boolean =>
  a === null || b === null || Math.max(a, b) > OTHER_SPEED * Math.min(a, b);

type Compared = AuditedAs & MeasuredOn;

/** Returns why a run is not comparable with the newest run of its series. */
export const reasonsAgainst = (newest: Compared, run: Compared): (DifferenceCode | MachineCode)[] => [
  ...(run.contended ? (['contended'] as const) : []),
  ...differencesOf(newest, run).map(({ code }) => code),
  ...(isOtherMachine(newest, run) ? (['different-machine'] as const) : []),
];

/** Returns true if a metric of two runs can be compared. */
export const isComparable = (name: MetricName, newest: Compared, run: Compared): boolean =>
  !reasonsAgainst(newest, run).some((code) => isSpoiledBy(name, code));
