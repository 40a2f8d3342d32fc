import type { BySeries } from '../../../shared/comparison/by-series.ts';
import { canPool, compareChecks, haveSameInputs } from '../../../shared/comparison/comparison.ts';
import { acceptedComparison, ComparisonQuery, labelOfBase, USUAL_POOL } from '../../../shared/comparison/query.ts';
import type { CheckComparison } from '../../../shared/comparison/schemas.ts';
import type { ComparedCheck } from '../../../shared/comparison/sides.ts';
import { changesAcross } from '../../../shared/comparison/since.ts';
import { compareVariants } from '../../../shared/comparison/variants.ts';
import { seriesOfPage } from '../../../shared/pages/listed-pages.ts';
import { ApiProblemError } from '../../../shared/problems.ts';
import type { Caller, OwnerCaller } from '../../../shared/service/keys.ts';
import { cutText } from '../../../shared/text.ts';
import { labelledChecks } from '../checks/labelled-checks.ts';
import { pageHistory } from '../checks/page-history.ts';
import type { StoredCheck } from '../store/find-check.ts';
import type { PageStore } from '../store/listed-pages.ts';
import type { ListStore } from '../store/lists.ts';
import type { Request } from './endpoint.ts';
import { invalidInput, parseFields } from './input.ts';
import { findCheck, finishedCheck, type Lookup } from './lookup.ts';

/** Store of a comparison. Without `lists`, the base must be the id of a check. */
export type BaseLookup = Lookup & { lists?: Pick<ListStore, 'runs'>; pages?: Pick<PageStore, 'ofUrl'> };
type BaseComparison = { check: StoredCheck; baseCheck: StoredCheck; comparison: CheckComparison };

/**
 * Compares the check in the path with its base: another check, or the newest checks with a label. Throws a problem if the
 * query is wrong, or if the two can not be compared.
 */
export const compareWithBase = async (
  lookup: BaseLookup,
  request: Request<Caller>,
  base: string,
): Promise<BaseComparison> => {
  const { label, pool, intended, again: ids } = parseComparison(request.query, base);
  const check = await findCheck(lookup, request);
  const again = await furtherChecks(lookup, request, check, ids);
  const compared = finishedCheck(check);
  const [baseCheck, ...more] = label
    ? await labelledBases(lookup, request, check, { label, pool, ids })
    : ([await baseWithId(lookup, request, check, base.toLowerCase())] as const);
  const { lists, now = () => new Date() } = lookup;
  const [, newer = ''] = [baseCheck.item.createdAt, check.item.createdAt].sort(); // later checks change no verdict
  const history = lists ? await pageHistory({ lists, now: now() }, baseCheck.item, newer) : {};
  if (ids.includes(baseCheck.item.id)) throw invalidInput([{ path: 'again', message: againIsBase }]);
  const isPair = more.length + ids.length === 0; // more checks a side say more than the series does
  const bySeries = isPair ? await seriesBetween(lookup, baseCheck.item, check.item.id) : {};
  const comparison = compareChecks(finishedCheck(baseCheck), compared, {
    intended,
    history,
    again,
    bySeries,
    pool: more.map(finishedCheck),
  });
  if (!comparison) throw new ApiProblemError('not-comparable', noPairs);
  return { check, baseCheck, comparison };
};

/** Returns what the series of the page in each region says about two checks. */
const seriesBetween = async (
  { pages, now = () => new Date() }: BaseLookup,
  { id, owner, url, device = 'mobile' }: StoredCheck['item'],
  checkId: string,
): Promise<BySeries> => {
  const found = await pages?.ofUrl(owner, url, now());
  const ofDevice = (found?.results ?? []).filter(({ page }) => page.device === device);
  return Object.fromEntries(
    ofDevice.map(({ page }) => [page.region, changesAcross(seriesOfPage(page, now()), id, checkId)]),
  );
};

/** Returns the parameters of a comparison. Throws one problem that lists everything wrong with them. */
export const parseComparison = (query: Request['query'], base: string | undefined) => {
  const { pool, again, intended } = query;
  const { fields, errors } = parseFields(ComparisonQuery, acceptedComparison, { base, pool, again, intended });
  const label = base === undefined ? undefined : labelOfBase(base);
  const misplaced = [
    ...(pool !== undefined && !label ? [poolWithoutLabel] : []),
    ...(again !== undefined && base === undefined ? [againWithoutBase] : []),
    ...(intended !== undefined && base === undefined ? [intendedWithoutBase] : []),
  ];
  if (errors.length + misplaced.length > 0) throw invalidInput([...errors, ...misplaced]);
  const { again: ids = [], intended: meant = [] } = fields;
  return { label, pool: fields.pool ?? USUAL_POOL, again: [...new Set(ids)], intended: meant };
};

const poolWithoutLabel = { path: 'pool', message: 'A pool needs a base with a label, such as base=label:branch=main.' };
const againWithoutBase = { path: 'again', message: 'Further checks of the page need a base. Send base too.' };
const intendedWithoutBase = { path: 'intended', message: 'Intended differences need a base. Send base too.' };

const baseWithId = (lookup: Lookup, request: Request<Caller>, { item }: StoredCheck, id: string) => {
  if (id === item.id) throw invalidInput([{ path: 'base', message: comparedWithItself }]);
  return findCheck(lookup, { ...request, params: { checkId: id } }, 'the ID in base');
};

/** Returns further checks that count together with a check. Throws if one of them is no other finished check of the same page. */
const furtherChecks = async (lookup: Lookup, request: Request<Caller>, check: StoredCheck, ids: readonly string[]) => {
  if (ids.includes(check.item.id)) throw invalidInput([{ path: 'again', message: againIsItself }]);
  const found: ComparedCheck[] = [];
  for (const id of ids) {
    const other = await findCheck(lookup, { ...request, params: { checkId: id } }, 'an ID in again');
    const further = finishedCheck(other);
    if (!haveSameInputs(finishedCheck(check), further))
      throw invalidInput([{ path: 'again', message: `The inputs of the check ${id} differ. ${againAccepted}` }]);
    found.push(further);
  }
  return found;
};

const againAccepted = 'Send checks with the same URL, device and other inputs.';
const againIsItself = `The check can not count twice. ${againAccepted}`;
const againIsBase = 'The base can not count on both sides. Send another check in again.';

/** Most checks with the label that are read for a pool. Some may not be comparable with the newest. */
const MAX_POOL_READS = 30;

/** Returns the newest check with the label, and further checks whose samples may join those of the newest. */
const labelledBases = async (
  { lists, store, now = () => new Date() }: BaseLookup,
  request: Request<Caller>,
  { item }: StoredCheck,
  { label, pool, ids }: { label: readonly [name: string, value: string]; pool: number; ids: readonly string[] },
): Promise<[StoredCheck, ...StoredCheck[]]> => {
  if (!lists || 'reader' in request) throw invalidInput([{ path: 'base', message: idNeeded }]);
  const { owner }: OwnerCaller = request;
  const bases: StoredCheck[] = [];
  let reads = 0;
  for await (const found of labelledChecks({ lists, store }, { owner, of: item, label, now: now() })) {
    const [newest] = bases;
    if (ids.includes(found.item.id)) continue; // it counts together with the check
    if (!newest || canPool(finishedCheck(newest), finishedCheck(found))) bases.push(found);
    reads += 1;
    if (bases.length >= pool || reads >= MAX_POOL_READS) break;
  }
  const [first, ...more] = bases;
  if (!first) throw noBase(item, label.join('='));
  return [first, ...more];
};

/** Compares the two variants of a check. Throws if it is not finished, or if no run succeeded. */
export const comparedVariants = (check: StoredCheck): CheckComparison => {
  const comparison = compareVariants(finishedCheck(check));
  if (!comparison) throw new ApiProblemError('not-comparable', noRuns);
  return comparison;
};

const noBase = ({ url, device = 'mobile' }: StoredCheck['item'], label: string) =>
  new ApiProblemError(
    'not-found',
    `No other finished check of ${cutText(url, 200)} on ${device} has the label ${label}. Create one with this label, or send the id of a check in base.`,
  );

const comparedWithItself = 'A check can not be compared with itself. Send the id of another check.';
const idNeeded = 'The base must be the id of a check.';
const noRuns = 'No run of the check succeeded. A comparison of its variants needs one.';
const noPairs = 'No region succeeded in both checks. Compare checks that have a region in common.';
