import { deleteItem } from '../../../functions/lib/store/dynamodb.ts';
import { anyOf } from '../../../functions/lib/store/expressions.ts';
import { checkKey } from '../../../functions/lib/store/items.ts';
import { fillBuckets } from '../../../shared/service/limits.ts';
import type { Item } from '../embedded-table.ts';
import { alter, alterPacked, alterText, type Defects } from './defect.ts';

const isCheck = ({ sk }: Item) => sk === 'CHECK';
const isRun = ({ sk }: Item) => sk.startsWith('RUN#');
const isPointer = ({ sk }: Item) => sk === 'RUN';
const isOpenCheck = (pk: string) => pk.startsWith('OPENCHECK#');
const isEntry = ({ sk }: Item) => sk.startsWith('TREND#');

/** Changes an attribute in each write of some items. */
export const attribute = (
  is: (key: Item) => boolean,
  name: string,
  change: (value: Record<string, unknown>) => Record<string, unknown> | undefined,
) => ({
  alters: (...[call, key]: Parameters<NonNullable<Defects[string]['alters']>>) => {
    if (is(key)) alter(call, name, change);
  },
});
export const inDays = (days: number) => () => ({
  N: String(Date.parse('2031-01-01T00:00:00.000Z') / 1000 + days * 24 * 3600),
});

export const defectsOfChecks: Defects = {
  'a mark that is removed at once': {
    found: /the mark .* was removed after/,
    seed: 2,
    wrap: ({ db, erasure }) => {
      const { eraseRemains } = erasure;
      erasure.eraseRemains = async (checkId) => {
        const nothing = await eraseRemains(checkId);
        await deleteItem(db, checkKey(checkId), anyOf(['erasedAt', 'exists']));
        return nothing;
      };
    },
  },
  'a mark that is never due': {
    found: /is left of (an erased check|a check that is gone)/,
    alters: ({ input }) => {
      const item = input.Item as Record<string, unknown> | undefined;
      if (item?.erasedAt) delete item.dueAt;
    },
  },
  'a mark that stays in the list': {
    found: /the mark .* is in the list/,
    seed: 6,
    alters: ({ input }) => {
      const item = input.Item as Record<string, { S: string }> | undefined;
      if (item?.erasedAt) item.list = { S: `OWNER#${item.owner?.S}` };
    },
  },
  'a refund that is lost': {
    found: /the closed .* has no refund/,
    seed: 23,
    drops: ({ input }, { sk }) => sk === 'USAGE' && /refunded\S* = /.test(String(input.UpdateExpression)),
  },
  'a refund of more than was left': {
    found: /was refunded \d+ audits/,
    seed: 23,
    alters: (call, { sk }) => {
      if (sk !== 'USAGE' || !/refunded\S* = /.test(String(call.input.UpdateExpression))) return;
      const text = JSON.stringify(call.input.ExpressionAttributeValues);
      const more = text.replace(/"audits":\{"N":"(\d+)"\}/, (_, audits) => `"audits":{"N":"${Number(audits) + 1}"}`);
      call.input.ExpressionAttributeValues = JSON.parse(more);
    },
  },
  'reports that are not erased': {
    found: /the (mark|report) .* is left of an erased check/,
    wrap: ({ reports }) => {
      reports.delete = async () => {};
    },
  },
  'runs of failed creates that nobody deletes': {
    found: /the run .* is left of a check that is gone/,
    wrap: ({ due }) => {
      due.deleteOrphan = async () => {};
    },
  },
  'a check that is listed at another time': {
    found: /is listed at|the list of .* lacks the check/,
    alters: (call, key) => {
      if (isCheck(key)) alterText(call, 'listKey', (text) => text.replace('2031', '2032'));
    },
  },
  'a closed check whose list shows no results': {
    found: /the list shows the closed/,
    alters: (call, key) => {
      if (isCheck(key)) alterPacked(call, 'listed', (listed: object) => ({ ...listed, state: 'running' }));
    },
  },
  'a check that is listed without its labels': {
    found: /the list shows other labels/,
    alters: (call, key) => {
      if (isCheck(key)) alterPacked(call, 'listed', (listed: object) => ({ ...listed, labels: undefined }));
    },
  },
  'a check in the list of another owner': {
    found: /is in the list/,
    seed: 1,
    alters: (call, key) => {
      if (isCheck(key)) alterText(call, 'list', () => 'OWNER#anna');
    },
  },
  'a series with another score': {
    found: /the series shows other results/,
    alters: (call, key) => {
      if (isEntry(key)) alterPacked(call, 'listed', (listed: object) => ({ ...listed, performance: 1 }));
    },
  },
  'a series that hides errors': {
    found: /the series shows other results/,
    alters: (call, key) => {
      if (isEntry(key)) alterPacked(call, 'listed', (listed: object) => ({ ...listed, errorCode: null }));
    },
  },
  'a run in the series of another owner': {
    found: /is in the list/,
    alters: (call, key) => {
      if (isEntry(key)) alterText(call, 'list', (text) => text.replace(/anna|otto/, 'all'));
    },
  },
  'a check that never expires': {
    found: /CHECK does not expire after 90 days/,
    seed: 1,
    ...attribute(isCheck, 'expiresAt', () => undefined),
  },
  'a run that never expires': {
    found: /RUN#\S+ does not expire after 90 days/,
    ...attribute(isRun, 'expiresAt', () => undefined),
  },
  'a pointer that expires before its run': {
    found: /RUN does not expire after 90 days/,
    seed: 1,
    ...attribute(isPointer, 'expiresAt', inDays(30)),
  },
  'an entry of a series that expires with its check': {
    found: /TREND#\S+ does not expire after 400 days/,
    seed: 1,
    ...attribute(isEntry, 'expiresAt', inDays(90)),
  },
  'a run that belongs to another owner': {
    found: /is of .*, and its check of/,
    seed: 1,
    ...attribute(isRun, 'owner', () => ({ S: 'anonymous' })),
  },
  'a pointer that belongs to another owner': {
    found: /is of .*, and its check of/,
    ...attribute(isPointer, 'owner', () => ({ S: 'anonymous' })),
  },
  'a check that ends before its runs': {
    found: /was closed before the end of a run/,
    ...attribute(isCheck, 'completedAt', ({ S }) => (S ? { S: '2031-01-01T00:00:00.001Z' } : { NULL: true })),
  },
  'a create that ignores the limits': {
    found: /counts as undefined audits, and needs/,
    wrap: ({ usage }) => {
      usage.take = async ({ plan }, _, now) => ({
        allowed: { buckets: fillBuckets(undefined, plan, now), settle: nothing, refund: nothing, join: nothing },
      });
    },
  },
  'samples that cost nothing': {
    found: /counts as 1 audits, and needs/,
    seed: 1,
    wrap: ({ usage }) => {
      const { take } = usage;
      usage.take = (caller, create, now) => take(caller, { ...create, audits: 1 }, now);
    },
  },
  'a create that takes no tokens': {
    found: /tokens of a minute, and should have/,
    alters: (call, { sk }) => {
      if (sk === 'USAGE') withoutTokens(call.input.ExpressionAttributeValues as Values, (each) => each < 0);
    },
  },
  'an open check that its end does not remove from the count': {
    found: /counts as open/,
    seed: 3,
    drops: ({ operation }, { pk }) => operation === 'DeleteItem' && isOpenCheck(pk),
  },
  'a check that does not count as open': {
    found: /does not count as open/,
    seed: 1,
    drops: ({ operation }, { pk }) => operation === 'PutItem' && isOpenCheck(pk),
  },
};

const nothing = async () => {};
type Values = Record<string, { N?: string }>;
/** Sets some of the numbers that an update adds to 0. */
const withoutTokens = (values: Values = {}, which: (added: number) => boolean): void => {
  for (const [name, { N }] of Object.entries(values))
    if (name.startsWith(':add') && which(Number(N))) values[name] = { N: '0' };
};
