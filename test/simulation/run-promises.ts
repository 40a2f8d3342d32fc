import type { Metrics, Sample } from '../../shared/metrics/page-metrics-schemas.ts';
import type { Samples } from '../../shared/options/audit-options.ts';
import { MAX_PAIRS, type Variant } from '../../shared/options/variants.ts';
import { type RunError, runProblems } from '../../shared/problems.ts';
import { type Attempt, countFailures, MAX_ATTEMPTS, type Turns } from '../../shared/run.ts';
import { LEASE_MS, LEASE_SLACK_MS, MAX_LOST_LEASES } from '../../shared/service/due-times.ts';
import type { EmbeddedBucket } from './embedded-bucket.ts';
import type { Item } from './embedded-table.ts';
import { type Audited, type Audits, readReport, type SimulatedReport } from './simulated-auditors.ts';
import type { Context, Timeline } from './timeline.ts';

type Options = { timeline: Timeline; bucket: EmbeddedBucket; audits: Audits; violated: (what: string) => void };
type Lease = { id: string; until: string };
/** Results of a variant, as its run has them. */
type VariantImage = Pick<Metrics, 'performance' | 'fcp'> & {
  samples: Sample[];
  spread: { performance: { min: number; max: number } | null } | null;
  warnings: string[];
  report?: { key: string };
};
export type RunImage = Item &
  VariantImage & {
    against: VariantImage | null;
    state: string;
    region: string;
    lease?: Lease;
    lostLeases: number;
    attempts: Attempt[];
    options: { samples: Samples };
    turns?: Turns | null;
    error: RunError | null;
    updatedAt: string;
  };
/** The claim of an invocation: its lease, the number of the run's attempts before it, and its time. */
type Claim = { lease: string; attemptsBefore: number; at: number };

/** Greatest difference of a process's clock from the exact one, in milliseconds. */
export const MAX_CLOCK_OFFSET_MS = 15_000;
/** Time after a claim when an invocation of ten minutes may have no time left for another audit, in milliseconds. */
const OUT_OF_TIME_MS = 400_000;

/** Returns a function that checks a write to a run: who wrote it, and whether it says what happened. */
export const runPromises = ({ timeline, bucket, audits, violated }: Options) => {
  const claims = new WeakMap<object, Claim>();
  const auditors = new Map<string, object[]>(); // invocations that have claimed a run, by its sort key
  const writtenAt = new Map<string, number>(); // when a lease was claimed or renewed last, by its id

  /** True if every clock says that the lease holds, also after the wall clock was set back. */
  const isLive = ({ id, until }: Lease) =>
    Date.parse(until) > timeline.wallNow() + 2 * MAX_CLOCK_OFFSET_MS &&
    timeline.now() < (writtenAt.get(id) ?? 0) + LEASE_MS - 2 * MAX_CLOCK_OFFSET_MS;

  const onLease = (before: RunImage | undefined, after: RunImage, { process, invocation }: Context) => {
    const [from, to] = [before?.lease, after.lease];
    if (from && to && from.id !== to.id && isLive(from)) {
      violated(
        `two holders of a lease: ${process.name} claimed ${after.sk}, whose lease was valid until ${from.until}`,
      );
    }
    const own = claims.get(invocation)?.lease;
    const isClaim = to !== undefined && to.id !== from?.id;
    if (own !== undefined && before && from?.id !== own && !(isClaim && to.id === own)) {
      violated(`${process.name} wrote to ${after.sk} after it had lost its lease`);
    }
    const isLost = from !== undefined && from.id !== to?.id && from.id !== own;
    const expected = (before?.lostLeases ?? 0) + (isLost ? 1 : 0);
    if (after.lostLeases !== expected && !isFinal(after)) {
      violated(`${after.sk} counts ${after.lostLeases} lost leases, and lost ${expected}`);
    }
    if (to && to.until !== from?.until) writtenAt.set(to.id, timeline.now());
    if (!isClaim) return;
    if (Date.parse(String(after.dueAt)) > Date.parse(to.until) + LEASE_SLACK_MS)
      violated(`${process.name} claimed ${after.sk} until ${to.until}, and it is due only at ${after.dueAt}`);
    if (!process.name.startsWith(`worker-${after.region}-`))
      violated(`${process.name} claimed ${after.sk} of another region`);
    claims.set(invocation, { lease: to.id, attemptsBefore: after.attempts.length, at: timeline.now() });
    auditors.set(after.sk, [...(auditors.get(after.sk) ?? []), invocation]);
  };

  const onAttempts = (before: RunImage | undefined, after: RunImage, invocation: object) => {
    const [earlier, { attempts }] = [before?.attempts ?? [], after];
    const ended = audits.get(invocation) ?? [];
    const first = claims.get(invocation)?.attemptsBefore ?? attempts.length;
    const isKept = (each: Attempt, i: number) =>
      JSON.stringify(each) === JSON.stringify(attempts[i]) || attempts[i]?.code === 'storage-failure';
    if (!earlier.every(isKept)) violated(`${after.sk} has lost or changed an attempt`);
    for (const [i, { number, code, startedAt, variant }] of attempts.entries()) {
      const expected = i < first ? earlier[i]?.code : ended[i - first]?.code;
      if (code !== expected && code !== 'storage-failure')
        violated(`attempt ${i + 1} of ${after.sk} ended with ${expected}, not with ${code}`);
      if (i >= first && variant !== (after.against ? ended[i - first]?.variant : undefined))
        violated(`attempt ${i + 1} of ${after.sk} says that it audited ${variant}`);
      if (number !== i + 1 || startedAt < (attempts[i - 1]?.finishedAt ?? ''))
        violated(`attempt ${i + 1} of ${after.sk} is out of order`);
    }
    for (const [variant, { samples }] of variantsOf(after)) {
      const taken = takenOf(ended, variant).map(({ fcp }) => fcp);
      if (after.state === 'running' && claims.has(invocation) && !samples.every(({ fcp }) => taken.includes(fcp))) {
        violated(`${after.sk} has recorded a sample that no audit gave`);
      }
    }
    if (countFailures(attempts) > MAX_ATTEMPTS) violated(`${after.sk} has too many failed attempts`);
    if (isFinal(after) && claims.has(invocation) && attempts.length !== first + ended.length) {
      violated(`${after.sk} has ${attempts.length - first} attempts of the last worker, which made ${ended.length}`);
    }
  };

  const onEnd = (after: RunImage, { process, invocation }: Context) => {
    if (after.state === 'succeeded') {
      if (after.error) violated(`${after.sk} succeeded with an error`);
      for (const [variant, image] of variantsOf(after)) onSuccess(after, variant, image, invocation);
      return;
    }
    const { error } = after;
    const shown = variantsOf(after).map(([, image]) => image);
    if (!error) return violated(`${after.sk} failed without an error`);
    if (error.blame !== runProblems[error.code].blame)
      violated(`${after.sk} blames the ${error.blame} for ${error.code}`);
    if (shown.some(({ performance = null, samples }) => performance !== null || samples.length > 0))
      violated(`${after.sk} failed and has a result`);
    const attempts = after.attempts.filter(({ variant }) => error.code === 'abandoned' || variant === error.variant);
    if (attempts.length === 0 && error.code !== 'abandoned')
      return violated(`the error of ${after.sk} names no variant`);
    const isSpent = countFailures(attempts) >= MAX_ATTEMPTS;
    if (error.code === 'abandoned') {
      if (!isSpent && after.lostLeases < MAX_LOST_LEASES) violated(`${process.name} abandoned ${after.sk} too early`);
      return;
    }
    const timeouts = attempts.filter(({ code }) => code === 'audit-timeout').length;
    const expected = timeouts > 1 ? 'page-hung' : attempts.at(-1)?.code;
    if (error.code !== expected)
      violated(`${after.sk} failed with ${error.code}, and its last attempt with ${expected}`);
    if (error.blame === 'service' && !isSpent)
      violated(`${after.sk} failed after ${attempts.length} attempts, without a retry`);
    const reports = shown.filter((image) => image.report).map((image) => reportOf(image, invocation));
    if (reports.some((report) => report && report.code !== attempts.at(-1)?.code))
      violated(`${after.sk} names the report of another audit`);
  };

  const onSuccess = (after: RunImage, variant: Variant, shown: VariantImage, invocation: object) => {
    if (!shown.report || !bucket.objects.has(shown.report.key))
      return violated(`${after.sk} succeeded without a stored report`);
    const ended = (auditors.get(after.sk) ?? []).flatMap((each) => audits.get(each) ?? []);
    const taken = takenOf(ended, variant);
    const samples = shown.samples.map(({ fcp }) => taken.find((each) => each.fcp === fcp));
    if (samples.some((each, i) => !each || each.performance !== shown.samples[i]?.performance))
      violated(`${after.sk} has a sample that no audit gave`);
    if (new Set(samples).size !== samples.length) violated(`${after.sk} has a sample twice`);
    const { samples: wanted } = after.options;
    const isSpent =
      countFailures(after.attempts) >= MAX_ATTEMPTS ||
      timeline.now() > (claims.get(invocation)?.at ?? 0) + OUT_OF_TIME_MS;
    const most = wanted === 'auto' ? MAX_PAIRS : wanted;
    const isSaid =
      wanted === 'auto'
        ? after.turns && after.turns.stopped !== 'most'
        : shown.warnings.includes(`${wanted - samples.length} of ${wanted} samples could not be measured.`);
    const complete = samples.length === most || (isSpent && isSaid) || after.turns?.stopped === 'clear';
    if (!complete || samples.length === 0 || samples.length > most)
      violated(`${after.sk} has ${samples.length} of ${wanted} samples`);
    const scores = samples.map((each) => each?.performance as number);
    const [min, max] = [Math.min(...scores), Math.max(...scores)];
    const { performance: spread } = shown.spread ?? { performance: null };
    if (samples.length > 1 && (spread?.min !== min || spread.max !== max))
      violated(`the spread of ${after.sk} is not that of its samples`);
    if (!samples.some((each) => each?.fcp === shown.fcp && each.performance === shown.performance))
      violated(`the result of ${after.sk} is none of its samples`);
    const named = reportOf(shown, invocation)?.result;
    if (named?.state !== 'succeeded' || named.metrics.fcp !== shown.fcp)
      return violated(`${after.sk} names the report of another audit`);
    const [first] = samplesOf(ended, variant, shown.samples[0]?.fcp);
    const isOfFirst = named.metrics.fcp === shown.samples[0]?.fcp;
    if (storedReport(shown)?.steadyParts?.fetchTime !== (isOfFirst ? undefined : first))
      violated(`the report of ${after.sk} has not the parts of the first sample`);
  };

  /** Returns the audit whose report a run names. */
  const reportOf = (shown: VariantImage, invocation: object): Audited | undefined =>
    audits
      .get(invocation)
      ?.find(
        ({ result }) => result?.report && readReport(result.report.gzip).fetchTime === storedReport(shown)?.fetchTime,
      );

  const storedReport = ({ report }: VariantImage): SimulatedReport | undefined => {
    const gzip = bucket.objects.get(report?.key ?? '');
    return gzip && readReport(gzip);
  };

  return (before: RunImage | undefined, after: RunImage, context: Context): void => {
    onLease(before, after, context);
    onAttempts(before, after, context.invocation);
    if (before && after.updatedAt < before.updatedAt) violated(`${after.sk} was updated before its last update`);
    if (before && isFinal(before) && JSON.stringify(before) !== JSON.stringify(after)) {
      violated(`${context.process.name} changed ${after.sk}, which had finished: ${before.state} to ${after.state}`);
    }
    if (isFinal(after) && !(before && isFinal(before))) onEnd(after, context);
  };
};

const variantsOf = (run: RunImage): [Variant, VariantImage][] =>
  run.against
    ? [
        ['own', run],
        ['against', run.against],
      ]
    : [['own', run]];

/** Returns the times that name the reports of a variant's audits with this result. */
const samplesOf = (ended: readonly Audited[], variant: Variant, fcp: number | null | undefined): string[] =>
  ended.flatMap(({ variant: of, result }) =>
    of === variant && result?.state === 'succeeded' && result.metrics.fcp === fcp && result.report
      ? [readReport(result.report.gzip).fetchTime]
      : [],
  );

/** Returns the metrics of the audits of a variant that succeeded. */
const takenOf = (ended: readonly Audited[], variant: Variant): Metrics[] =>
  ended.filter((each) => each.variant === variant).flatMap(metricsOf);

const metricsOf = ({ result }: Audited): Metrics[] => (result?.state === 'succeeded' ? [result.metrics] : []);

export const isFinal = ({ state }: Item): boolean => state === 'succeeded' || state === 'failed';
