import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AuditOrder, emptyMainFrame, type MainFrame } from '../../functions/auditor/messages.ts';
import type { Auditors } from '../../functions/auditor/parent/auditors.ts';
import { type AuditEvent, HARD_LIMIT_MS } from '../../functions/auditor/stop-rules.ts';
import type { Observation } from '../../functions/auditor/verdict/observation.ts';
import { isLoopbackHost } from '../../functions/lib/targets/public-addresses.ts';
import type { AuditOptions } from '../../shared/options/audit-options-schemas.ts';

/** The events of an audit, with their times in milliseconds, and all else that its verdict depends on. */
export type RecordedAudit = {
  order: Pick<AuditOrder, 'auditVersion'> & Pick<AuditOptions, 'device' | 'categories'>;
  /** True if the audit skips the parts in which an earlier one may have hung. */
  repeated: boolean;
  events: [atMs: number, event: RecordedEvent][];
  /** The reason why the parent stopped the audit. Null if the auditor ended by itself. */
  stoppedBy: string | null;
  observation: Pick<Observation, 'blocked' | 'overCap'> & { decision: ReturnType<Observation['decisionOn']> | null };
};
/** A main frame event holds only the fields that have changed, and a summary holds no report. */
export type RecordedEvent =
  | Exclude<AuditEvent, { type: 'mainFrame' | 'audited' }>
  | { type: 'mainFrame'; record: Partial<MainFrame> }
  | (Omit<Audited, 'summary'> & { summary: RecordedSummary });
type Audited = Extract<AuditEvent, { type: 'audited' }>;
type Summary = Audited['summary'];
/** Fields that older recordings lack. */
export const missingInSummary: Pick<Summary, 'benchmarkedAt' | 'throttlingValues'> = {
  benchmarkedAt: '2026-11-25T16:45:12.250Z',
  throttlingValues: null,
};
type RecordedSummary = Omit<Summary, 'report' | 'reportBytes' | keyof typeof missingInSummary> &
  Partial<typeof missingInSummary>;

const folder = new URL('../recorded/hostile/', import.meta.url);
const fileOf = (name: string) => new URL(`${name}.json`, folder);

export const readRecording = (name: string): RecordedAudit[] => JSON.parse(readFileSync(fileOf(name), 'utf8'));

/** Writes the audits of a page with sorted keys and one event per line, so that a diff is readable. */
export const writeRecording = (name: string, audits: RecordedAudit[]): void => {
  mkdirSync(folder, { recursive: true });
  const text = audits.map(({ events, ...rest }) => {
    const lines = events.map((event) => `      ${json(event)}`).join(',\n');
    const fields = Object.entries({ ...rest }).map(([key, value]) => `    ${json(key)}: ${json(value)}`);
    return `  {\n${fields.join(',\n')},\n    "events": [\n${lines}\n    ]\n  }`;
  });
  writeFileSync(fileOf(name), `[\n${text.join(',\n')}\n]\n`);
};

/** Runs one audit and records it. */
export const recordAudit = async (lab: Auditors, order: AuditOrder): Promise<RecordedAudit> => {
  const events: [number, AuditEvent][] = [];
  let observation: Observation | undefined;
  await lab.audit(order, new AbortController().signal, {
    onEvent: (event, atMs) => void events.push([atMs, event]),
    onObservation: (observed) => {
      observation = observed;
    },
  });
  if (!observation) throw new Error('The audit ended without an observation.');
  const { auditVersion, options, skipOptionalParts } = order;
  const { device, categories } = options;
  const { end, blocked, overCap } = observation;
  const audit: RecordedAudit = {
    order: { auditVersion, device, ...(categories && { categories }) },
    repeated: skipOptionalParts,
    stoppedBy: end.how === 'stopped' ? end.why : null,
    observation: {
      blocked: sorted(blocked),
      overCap,
      decision: decisionOnDocument(observation) ?? null,
    },
    events: compact(events),
  };
  return normalized(audit);
};

const sorted = ({ blockedRequests, ...rest }: Observation['blocked']): Observation['blocked'] => ({
  ...rest,
  blockedRequests: blockedRequests.toSorted((a, b) => (`${a.host}:${a.port}` < `${b.host}:${b.port}` ? -1 : 1)),
});

/** The proxy's decision on the main document: `judge` reads no other. */
const decisionOnDocument = ({ mainFrame, decisionOn }: Observation) => {
  const { hostname, port, protocol } = new URL(mainFrame.url ?? 'http://unknown.invalid/');
  const decision = decisionOn(hostname, Number(port || (protocol === 'https:' ? 443 : 80)));
  return decision && { outcome: decision.outcome, ...(decision.reason && { reason: decision.reason }) };
};

/** Times are rounded down to this. All time limits of the stop rules are multiples of it. */
const STEP_MS = 500;
const roundedDown = (ms: number) => Math.floor(ms / STEP_MS) * STEP_MS;

/** Drops events that the replay computes or doesn't need, and numbers that differ in every run. */
const compact = (events: [number, AuditEvent][]): RecordedAudit['events'] => {
  const loadsFrom = startOfLoad(events);
  let mainFrame: MainFrame = emptyMainFrame;
  return events.flatMap(([atMs, event], i): RecordedAudit['events'] => {
    const at = roundedDown(Math.max(0, atMs - loadsFrom));
    switch (event.type) {
      case 'elapsed': // the replay has timers of its own
        return [];
      case 'memory': // changes nothing unless it ends the audit
        return i === events.length - 1 ? [[at, withoutDigits(event)]] : [];
      case 'cpu-acquired':
        return [[at, { ...event, remainingMs: HARD_LIMIT_MS }]];
      case 'measured':
        return [[at, { ...event, cpu: null }]];
      case 'mainFrame': {
        const record = changesBetween(mainFrame, event.record);
        mainFrame = event.record;
        return Object.keys(record).length > 0 ? [[at, { type: 'mainFrame', record }]] : [];
      }
      case 'audited':
        return [[at, { ...event, summary: withoutNumbers(event.summary) }]];
      default:
        return [[at, event]];
    }
  });
};

/** Time when the browser may load the page. The start of the browser and the wait for the CPU take a different time in each run. */
const startOfLoad = (events: [number, AuditEvent][]): number => {
  const acquired = events.find(([, { type }]) => type === 'cpu-acquired');
  const [atMs] = acquired ?? events.find(([, { type }]) => type === 'browser') ?? [0];
  return atMs;
};

type Memory = Extract<AuditEvent, { type: 'memory' }>;
const withoutDigits = ({ type, browserBytes, auditorBytes }: Memory): Memory => {
  const roundedUp = (bytes: number) => Math.ceil(bytes / 2 ** 28) * 2 ** 28;
  return { type, browserBytes: roundedUp(browserBytes), auditorBytes: roundedUp(auditorBytes) };
};

const changesBetween = (before: MainFrame, after: MainFrame): Partial<MainFrame> =>
  Object.fromEntries(Object.entries(after).filter(([key, value]) => before[key as keyof MainFrame] !== value));

/** A verdict depends on which metrics are null, not on their values. */
const withoutNumbers = ({ report: _, reportBytes: __, ...summary }: Summary): RecordedSummary => ({
  ...summary,
  metrics: Object.fromEntries(
    Object.entries(summary.metrics).map(([name, value]) => [name, value === null ? null : 100]),
  ) as Summary['metrics'],
  benchmarkIndex: 1000,
});

const MAX_TEXT = 1000;
/** Replaces ports and run numbers of the page server, which differ in every run. */
const normalized = (audit: RecordedAudit): RecordedAudit =>
  JSON.parse(JSON.stringify(audit), function (this: { host?: string }, key, value) {
    if (key === 'port' && isLoopbackHost(this.host ?? '')) return 8000;
    if (typeof value !== 'string') return value;
    return value
      .slice(0, MAX_TEXT)
      .replace(
        /\b(127\.0\.0\.\d|localhost):\d+(\/[\w-]+\/)?(\d+\/)?/g,
        (_, host, page = '', run) => `${host}:8000${page}${run ? '1/' : ''}`,
      );
  });

/** JSON with sorted keys. */
const json = (value: unknown): string =>
  JSON.stringify(value, (_, part) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
