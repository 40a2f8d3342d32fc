import { type MetricName, type PageMetric, pageMetric } from '../metrics/page-metrics.ts';
import { options, spoilingOptions } from '../options/audit-options.ts';
import { recordOf } from '../record.ts';

/** Things that a metric may depend on, by how many of them a condition changes. */
const scopes = {
  all: ['device', 'cpu', 'network', 'page'],
  times: ['device'],
  speed: ['device', 'cpu'],
  clock: ['device', 'cpu', 'network'],
  none: [],
} as const satisfies Record<string, readonly PageMetric['dependsOn'][]>;
type Scope = keyof typeof scopes;

/** Inputs that people choose, and the metrics that two values of each make incomparable. */
const inputs = {
  url: 'all',
  auditVersion: 'all', // any other release: a minor one changes how FCP and LCP are simulated
  ...recordOf(spoilingOptions, (name) => options[name].spoils),
} as const satisfies Record<string, Scope>;

/** Parts of the service that an update of it changes. */
const parts = {
  chromium: 'speed', // majors
  sandbox: 'speed',
  fonts: 'all', // the width of a text moves everything below it
  revision: 'all',
} as const satisfies Record<string, Scope>;

/** Conditions of the machine. */
const machine = { contended: 'clock', 'different-machine': 'speed' } as const satisfies Record<string, Scope>;

/** Everything but the page that makes two results incomparable, and the metrics that then have no verdict. */
const spoils: Readonly<Record<string, Scope>> = {
  ...inputs,
  ...parts,
  ...machine,
  'other-steps': 'all',
  'other-speed': 'speed',
};

type InputCode = keyof typeof inputs;
type PartCode = keyof typeof parts;
/** Something that somebody changed between two audits. */
export type DifferenceCode = InputCode | PartCode;
export type MachineCode = keyof typeof machine;

export const partCodes = Object.keys(parts) as PartCode[];
export const differenceCodes: readonly DifferenceCode[] = [...(Object.keys(inputs) as InputCode[]), ...partCodes];

export const isInput = (code: DifferenceCode): code is InputCode => code in inputs;

/** Returns true if a condition makes the verdict about a metric unknown. A reason without a row spoils none by itself. */
export const isSpoiledBy = (name: MetricName, code: string): boolean => spoilsMetric(pageMetric(name), code);

/** Returns the same for the row of a metric. */
export const spoilsMetric = ({ dependsOn }: Pick<PageMetric, 'dependsOn'>, code: string): boolean =>
  (scopes[spoils[code] ?? 'none'] as readonly string[]).includes(dependsOn);

/** Returns true if a condition leaves no metric comparable. */
export const spoilsAll = (code: string): boolean => spoils[code] === 'all';
