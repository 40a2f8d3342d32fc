import { explain } from '../shared/explanation/explanation.ts';
import type { ReportFacts } from '../shared/explanation/facts.ts';
import { explainInteractions, type InteractionSide } from '../shared/explanation/interactions.ts';
import type { CheckExplanation } from '../shared/explanation/schema.ts';
import { verdictsIn } from '../shared/explanation/verdicts.ts';
import type { Variant } from '../shared/options/variants.ts';
import type { Region } from '../shared/regions.ts';
import type { Caller } from '../shared/service/keys.ts';
import { type BaseLookup, comparedVariants, compareWithBase, parseComparison } from './lib/http/base-comparison.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { invalidInput } from './lib/http/input.ts';
import { findCheck, type RunLookup } from './lib/http/lookup.ts';
import type { Reply } from './lib/http/response.ts';
import { findReport } from './lib/http/stored-report.ts';
import { redact } from './lib/redact.ts';
import { checkStore } from './lib/store/checks.ts';
import { openDb } from './lib/store/dynamodb.ts';
import type { StoredCheck } from './lib/store/find-check.ts';
import type { RunItem } from './lib/store/items.ts';
import { pageStore } from './lib/store/listed-pages.ts';
import { listStore } from './lib/store/lists.ts';
import { type Reports, reports } from './lib/store/reports.ts';
import { inThread } from './lib/thread/in-thread.ts';
import { factsIn } from './lib/thread/report-tasks.ts';

/** GET /v1/checks/{checkId}/explanation: says why a check differs from a base or from its second variant, by region. */
export const handler = http('get-explanation', (env) => {
  const db = openDb(env);
  return getExplanation({ store: checkStore(db), lists: listStore(db), pages: pageStore(db), reports: reports(env) });
});

type Deps = RunLookup &
  BaseLookup & {
    reports: Pick<Reports, 'get' | 'exists'>;
  };

export const getExplanation =
  (deps: Deps) =>
  async (request: Request<Caller>): Promise<Reply> => {
    const { check, before: base, comparison } = await compared(deps, request);
    const regions: CheckExplanation['regions'] = {};
    // One report after another, because two large ones might not fit in memory. Their facts are small.
    for (const region of comparison.regions) {
      const before = await readFacts(deps, request, base, region);
      const now = await readFacts(deps, request, { check, variant: 'own' }, region);
      // A comment on a pull request may publish the sentence.
      const interactions = explainInteractions(
        interactionSide(base, region, before),
        interactionSide({ check, variant: 'own' }, region, now),
        { compared: comparison.interactions, region },
      );
      regions[region] = redact(explain(before, now, verdictsIn(comparison, region), interactions));
    }
    const { checkId, baseCheckId, comparable } = comparison;
    const body: CheckExplanation = { checkId, baseCheckId, comparable, regions };
    return { status: 200, body };
  };

/** A check, and the variant of it whose reports are read. */
type Side = { check: StoredCheck; variant: Variant };

/** Compares the check with the base in the query, or its two variants. */
const compared = async (deps: Deps, request: Request<Caller>) => {
  const { base } = request.query;
  if (base !== undefined) {
    const { check, baseCheck, comparison } = await compareWithBase(deps, request, base);
    return { check, before: { check: baseCheck, variant: 'own' } satisfies Side, comparison };
  }
  parseComparison(request.query, base); // refuses the parameters that need a base
  const check = await findCheck(deps, request);
  if (!check.item.against) throw withoutBase();
  return { check, before: { check, variant: 'against' } satisfies Side, comparison: comparedVariants(check) };
};

/** Returns the facts of the median report of a region. Throws a problem if the report is missing or too large. */
const readFacts = async (
  deps: Deps,
  request: Request<Caller>,
  { check: { item, runs }, variant }: Side,
  region: Region,
): Promise<ReportFacts> => {
  const params = { checkId: item.id, runId: runIn({ item, runs }, region).id };
  const { readParsable } = await findReport(deps, { ...request, params, query: { variant } });
  return inThread({ factsIn }, await readParsable());
};

/** Returns the run of a region of the comparison. */
const runIn = ({ item, runs }: StoredCheck, region: Region): RunItem => {
  const run = runs.find((each) => each.region === region);
  if (!run) throw new Error(`The comparison has a region that the check ${item.id} lacks: ${region}`);
  return run;
};

const interactionSide = (
  { check, variant }: Side,
  region: Region,
  { documentUrl, folder }: ReportFacts,
): InteractionSide => {
  const run = runIn(check, region);
  const { interactions = null } = (variant === 'own' ? run : run.against) ?? {};
  return { documentUrl, folder, interactions };
};

const withoutBase = () =>
  invalidInput([
    {
      path: 'base',
      message:
        'Send base=<id of an earlier check> or base=label:branch=main, or create a check with against. The explanation says why the two differ.',
    },
  ]);
