import { type MetricName, namesOfKind, pageMetric } from '../metrics/page-metrics.ts';
import { cutText } from '../text.ts';
import type { AuditPair, FindingChange } from './audit-changes.ts';
import { type Cause, type Changes, causesOf, lcpElementCause } from './causes.ts';
import { nameOfElement } from './elements.ts';
import { interactionClause } from './interactions.ts';
import { type MetricGroup, type MetricRow, metricRows } from './metrics.ts';
import { isChange, type Verdicts } from './points.ts';
import type { Explanation } from './schema.ts';
import { bytesText, counted, pointsText, shiftText, timeText } from './words.ts';

const MAX_SENTENCE = 600;
/** A sentence names the strongest causes only, and none that explains a small part of the change. */
const MAX_CAUSES = 2;
const MIN_SHARE = 0.2;

/** The scores of the categories. The performance score follows from the metrics. */
const scores = namesOfKind('score').filter((name) => name !== 'performance');

type Given = {
  changes: Changes;
  verdicts: Verdicts;
  points: Explanation['points'];
  caching: Explanation['caching'];
  audits: readonly AuditPair[];
  findings: readonly FindingChange[];
  interactions: Explanation['interactions'];
};

/** The causes of the two reports, and the keys of those that the sentence has named. */
type Causes = { all: readonly Cause[]; told: Set<string> };

/** Returns one sentence: what changed with a verdict, and the likely causes of each change. */
export const sentenceOf = (given: Given): string => {
  const causes: Causes = { all: causesOf(given.changes), told: new Set() };
  const leads = leadsOf(given);
  const clauses = [
    ...leads.flatMap((lead) => metricClause(lead, given, causes)),
    ...(leads.some(({ group }) => group === 'cpu') ? [] : cpuClause(given, causes)),
    ...scores.flatMap((name) => categoryClause(name, given)),
    ...given.interactions.map((each) => interactionClause(each, given.changes.now.documentUrl)),
  ];
  if (clauses.length === 0) clauses.push(scoreClause(given, causes) ?? 'no metric has a clear change');
  const [first = '', ...rest] = [...clauses, ...certainClauses(given, causes)];
  const text = [`${first.charAt(0).toUpperCase()}${first.slice(1)}`, ...rest].join('; ');
  return `${cutText(text, MAX_SENTENCE)}.`;
};

/** Returns the metric of each group that gained or lost most, among those with a verdict. The largest comes first. */
const leadsOf = ({ verdicts, points }: Given): MetricRow[] => {
  const gain = ({ name }: MetricRow) => Math.abs(pointsIn(points, name));
  const byGain = metricRows.filter(({ name }) => isChange(verdicts[name])).sort((a, b) => gain(b) - gain(a));
  return byGain.filter(({ group }, i) => byGain.findIndex((row) => row.group === group) === i);
};

const pointsIn = (points: Given['points'], name: string): number =>
  points.find(({ metric }) => metric === name)?.points ?? 0;

const metricClause = (lead: MetricRow, { changes, verdicts, points }: Given, { all, told }: Causes): string[] => {
  const [before, after] = [changes.base, changes.now].map(({ metrics }) => metrics.get(lead.name)?.value ?? null);
  if (before == null || after == null) return [];
  const change = verdicts[lead.name]?.change ?? after - before;
  const element = lead.name === 'lcp' ? lcpElementCause(changes) : undefined;
  const causes = [...(element ? [element] : []), ...strongest(lead.group, all, change)];
  const gained = pointsText(pointsIn(points, lead.name));
  const text = `${changeText(lead, change)}${gained && ` (${gained})`}`;
  if (causes.length === 0) return [`${text}, and the reports show no cause`];
  const fresh = causes.filter(({ key }) => !told.has(key));
  for (const { key } of fresh) told.add(key);
  if (fresh.length > 0) return [`${text}: ${textsOf(fresh)}`];
  return lead.group === 'weight' ? [] : [`${text} for the same reason`]; // the causes have named their sizes
};

/** Returns the clause about the CPU time of the main thread, which no report has. It may be clear where TBT is not. */
const cpuClause = ({ verdicts }: Given, { all, told }: Causes): string[] => {
  const change = verdicts.mainThreadCpu?.change;
  if (!isChange(verdicts.mainThreadCpu) || !change) return [];
  const causes = strongest('cpu', all, change);
  for (const { key } of causes) told.add(key);
  const text = `the main thread works ${timeText(Math.abs(change))} ${change > 0 ? 'longer' : 'less'}`;
  return [causes.length > 0 ? `${text}: ${textsOf(causes)}` : `${text}, and the reports show no cause`];
};

const textsOf = (causes: readonly Cause[]): string => causes.map(({ text }) => text).join(', and ');

const changeText = ({ name, label, kind }: MetricRow, change: number): string => {
  const size = Math.abs(change);
  if (kind === 'bytes') return `the page loads ${bytesText(size)} ${change > 0 ? 'more' : 'less'}`;
  if (kind === 'count') return `the page makes ${counted(Math.round(size), 'request')} ${change > 0 ? 'more' : 'less'}`;
  if (kind === 'shift') return `${label} is ${shiftText(size)} ${change > 0 ? 'higher' : 'lower'}`;
  if (name === 'tbt') return `${label} is ${timeText(size)} ${change > 0 ? 'longer' : 'shorter'}`;
  return `${label} is ${timeText(size)} ${change > 0 ? 'slower' : 'faster'}`;
};

/** Returns the causes with the largest effects in the direction of a change. Each request counts once. */
const strongest = (group: MetricGroup, causes: readonly Cause[], change: number): Cause[] => {
  const effect = ({ effects }: Cause) => Math.sign(change) * (effects[group] ?? 0);
  const sorted = causes.filter((cause) => effect(cause) > 0).sort((a, b) => effect(b) - effect(a));
  const least = MIN_SHARE * Math.max(Math.abs(change), ...sorted.slice(0, 1).map(effect));
  return sorted
    .filter((cause, i) => effect(cause) >= least && sorted.findIndex(({ key }) => key === cause.key) === i)
    .slice(0, MAX_CAUSES);
};

/** Returns the clause about the performance score, if it has a verdict and no metric has one. */
const scoreClause = ({ verdicts, points }: Given, { all, told }: Causes): string | undefined => {
  if (!isChange(verdicts.performance)) return undefined;
  const change = points.reduce((sum, each) => sum + each.points, 0);
  const direction = verdicts.performance?.verdict === 'regressed' ? 1 : -1; // an effect above 0 makes the page worse
  const causes = [...strongest('cpu', all, direction), ...strongest('load', all, direction)].slice(0, MAX_CAUSES);
  for (const { key } of causes) told.add(key);
  const text = `the performance score ${change < 0 ? 'lost' : 'gained'} ${counted(Math.round(Math.abs(change)), 'point')}`;
  return causes.length > 0 ? `${text}: ${textsOf(causes)}` : text;
};

const categoryClause = (name: MetricName, { verdicts, audits, findings }: Given): string[] => {
  if (!isChange(verdicts[name])) return [];
  const { category, title } = pageMetric(name);
  const worse = verdicts[name]?.verdict === 'regressed';
  const flipped = audits.filter(({ now }) => now.category === category && now.failed === worse && now.weight > 0);
  const named = flipped.slice(0, MAX_CAUSES).map(({ base, now }) => {
    const found = findings.filter(({ audit }) => audit.id === now.id && audit.category === category);
    const element = found.map(({ finding }) => finding.element).find((each) => each !== null);
    const more = found.length > 1 ? ` and ${found.length - 1} more` : '';
    const where = element ? ` (${nameOfElement(element)}${more})` : '';
    return worse ? `“${now.title}” fails now${where}` : `“${base.title}” is fixed${where}`;
  });
  const text = `${title} is ${worse ? 'worse' : 'better'}`;
  return [named.length > 0 ? `${text}: ${named.join(', and ')}` : `${text}, and the reports show no cause`];
};

/** Returns the clauses about changes that have no noise and that no other clause has named. */
const certainClauses = ({ caching, changes }: Given, { all, told }: Causes): string[] => {
  const redirects = all.find(({ key }) => key === 'redirects' && !told.has(key));
  const shorter = caching.filter((file) => file.seconds !== null && file.seconds < (file.baseSeconds ?? Infinity));
  const requests = [...changes.now.requests.values()];
  const names = shorter.map(({ url }) => requests.find((request) => request.url === url)?.name ?? url);
  const verb = shorter.every(({ seconds }) => seconds === 0) ? 'gone' : 'shorter';
  return [
    ...(redirects ? [`the page has ${redirects.text}`] : []),
    ...(names.length > 0 ? [`the cache lifetime of ${listed(names)} is ${verb}`] : []),
  ];
};

const listed = (names: readonly string[]): string =>
  names.length <= 2 ? names.join(' and ') : `${names[0]} and ${names.length - 1} other files`;
