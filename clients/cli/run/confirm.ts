import type { CheckView, CreateCheckBody } from '../../../shared/check.ts';
import type { CheckComparison } from '../../../shared/comparison/schemas.ts';
import { isInput } from '../../../shared/comparison/spoils.ts';
import { type MetricName, metricNames, pageMetric } from '../../../shared/metrics/page-metrics.ts';
import { plainOptionNames } from '../../../shared/options/audit-options.ts';
import type { SecretName } from '../../../shared/options/secrets.ts';
import { againstNames } from '../../../shared/options/variants.ts';
import { pick } from '../../../shared/pick.ts';
import type { Client, CreatedCheck } from '../../api/client.ts';
import type { BaseOptions } from '../../api/paths.ts';
import { ServiceError } from '../../api/service-error.ts';
import { changeText } from '../../words/change.ts';
import { labels as names, plain } from '../../words/numbers.ts';
import type { Confirmation } from '../formats/confirmation.ts';
import { hasRegressed } from '../formats/outcome.ts';
import { compareWithBase, type Judged } from './base.ts';
import { createPatiently } from './creating.ts';
import type { TimeLimit } from './waiting.ts';

/** How a command audits once more. */
export type Confirming = {
  secretsOf: (url: string) => Partial<Pick<CreateCheckBody, SecretName>>;
  /** Gets the check, so that an interrupt erases it. */
  created: CreatedCheck[];
  limit: TimeLimit;
  /** Aborts when the user interrupts the command. */
  interrupted: AbortSignal;
  note: (line: string) => void;
};

type Suspect = { region: string; metric: MetricName };
type Asked = { check: CheckView; judged: Judged; bases: BaseOptions & { base: string | undefined } };

/**
 * Audits a page once more if its comparison with the base suspects that it got worse: in turns with the page of the base, or
 * if that does not work, as a further check. A proved regression needs no confirmation.
 */
export const confirm = async (
  client: Client,
  { check, judged, bases }: Asked,
  confirming: Confirming,
): Promise<Judged & { confirmation: Confirmation | null }> => {
  const suspects = judged.base && !hasRegressed(judged.base) ? suspectsOf(judged.base) : [];
  if (!judged.base || suspects.length === 0) return { ...judged, confirmation: null };
  const against = variantOf(judged.base);
  confirming.note(`${check.url}: ${namesOf(suspects)} may be worse. The page is audited once more.`);
  let by: Confirmation['by'] = against ? 'turns' : 'again';
  try {
    const turns = against && (await inTurns(client, check, { suspects, against }, confirming));
    const isAll = judged.base.unjudged.every((id) => suspects.some(({ metric }) => metric === id));
    const isTold = turns?.state === 'confirmed' || (turns?.state === 'refuted' && isAll);
    if (turns) return { ...judged, ...(isTold && { baseProblem: null }), confirmation: turns };
    by = 'again';
    const further = await auditOnce(client, check, { suspects, by }, confirming);
    const both = await compareWithBase(client, check, { ...bases, again: [further.id] }, confirming.limit.signal);
    return { ...judged, ...(both.base && both), confirmation: confirmationOf(both.base, further.id, by, suspects) };
  } catch (error) {
    confirming.interrupted.throwIfAborted();
    if (!(error instanceof ServiceError || confirming.limit.signal.aborted)) throw error;
    const { message } = confirming.limit.explained(error as Error);
    return { ...judged, confirmation: { checkId: null, by, state: 'open', changes: [], problem: message } };
  }
};

/** Returns the metrics that may be worse than those of the base. */
const suspectsOf = ({ metrics, unjudged }: CheckComparison): Suspect[] =>
  metricNames.flatMap((metric) =>
    Object.entries(metrics[metric].regions).flatMap(([region, { suspected, change }]) => {
      const isHigher = (plain(change?.estimate) ?? 0) > 0;
      const isWorse = isHigher === (pageMetric(metric).better === 'lower');
      const mayCount = !pageMetric(metric).isMain || unjudged.includes(metric);
      return suspected && isWorse && mayCount ? [{ region, metric }] : [];
    }),
  );

const namesOf = (suspects: readonly Suspect[]): string =>
  [...new Set(suspects.map(({ metric }) => names[metric]))].join(', ');

/** Returns the second variant that is the page of the base, or undefined if `against` can't have what differs. */
const variantOf = ({ differences }: CheckComparison): NonNullable<CreateCheckBody['against']> | undefined => {
  const chosen = differences.filter(({ code }) => isInput(code));
  const isPossible = chosen.length > 0 && chosen.every(({ code }) => againstNames.some((name) => name === code));
  return isPossible ? Object.fromEntries(chosen.map(({ code, base }) => [code, base])) : undefined;
};

type More = { suspects: readonly Suspect[]; against: NonNullable<CreateCheckBody['against']> };

/** Audits in turns with the page of the base. Returns undefined if that page can't be audited any more. */
const inTurns = async (client: Client, check: CheckView, { suspects, against }: More, confirming: Confirming) => {
  const made = await auditOnce(client, check, { suspects, by: 'turns', against }, confirming).catch((error) => {
    if (error instanceof ServiceError && error.errors.length > 0) return undefined; // for example a target that is refused now
    throw error;
  });
  if (!made?.runs.some(({ state }) => state === 'succeeded')) return undefined;
  const compared = (await client.compare(made.id, { signal: confirming.limit.signal })) as CheckComparison;
  return confirmationOf(compared, made.id, 'turns', suspects);
};

/** Creates a check with the inputs of another one in the regions that matter, and waits for its end. */
const auditOnce = async (
  client: Client,
  check: CheckView,
  { suspects, by, against }: Pick<More, 'suspects'> & { by: Confirmation['by']; against?: More['against'] },
  { secretsOf, created, limit, interrupted, note }: Confirming,
): Promise<CheckView> => {
  const { labels, assertions, ...inputs } = pick(check, plainOptionNames);
  const body: CreateCheckBody = {
    url: check.url,
    auditVersion: check.auditVersion,
    regions: [...new Set(suspects.map(({ region }) => region))],
    ...inputs,
    ...secretsOf(check.url),
    labels: { confirms: check.id },
    ...(against && { samples: 'auto', against }),
  };
  const idempotencyKey = `${by} ${check.id}`; // a repeated command finds the same check
  const onWait = ({ message }: ServiceError) => note(message);
  const made = await createPatiently(client, body, { limit, signal: interrupted, idempotencyKey, onWait });
  created.push(made);
  return client.wait(made.id);
};

const confirmationOf = (
  compared: CheckComparison | null,
  checkId: string,
  by: Confirmation['by'],
  suspects: readonly Suspect[],
): Confirmation => {
  const changes = suspects.flatMap(({ region, metric }) => {
    const found = compared?.metrics[metric].regions[region as CheckComparison['regions'][number]];
    return found ? [{ region, metric, verdict: found.verdict, text: changeText(metric, found) }] : [];
  });
  const isRefuted = changes.length === suspects.length && changes.every(({ verdict }) => verdict !== 'unknown');
  const isConfirmed = changes.some(({ verdict }) => verdict === 'regressed');
  return { checkId, by, state: isConfirmed ? 'confirmed' : isRefuted ? 'refuted' : 'open', changes, problem: null };
};
