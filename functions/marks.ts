import { v5 as uuidv5 } from 'uuid';
import { z } from 'zod';
import { CreateMarkBody, type Mark } from '../shared/marks.ts';
import { acceptedLabels } from '../shared/options/labels.ts';
import { ApiProblemError } from '../shared/problems.ts';
import { type PlanName, plans } from '../shared/service/plans.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { invalidInput, parseFields } from './lib/http/input.ts';
import { parseMarkList, rangeOf } from './lib/http/list-query.ts';
import type { Reply } from './lib/http/response.ts';
import { marksOfPage } from './lib/marks/marks-of-page.ts';
import { openDb } from './lib/store/dynamodb.ts';
import { type ListStore, listStore } from './lib/store/lists.ts';
import { type MarkStore, markStore, type StoredMark } from './lib/store/marks.ts';

/** /v1/marks and /v1/marks/{markId}: makes, shows and deletes the marks of an owner. */
export const handler = http('marks', (env) => {
  const db = openDb(env);
  return marks({ marks: markStore(db), lists: listStore(db), trendDays: env.TREND_DAYS });
});

type Deps = {
  marks: Pick<MarkStore, 'create' | 'find' | 'erase' | 'count' | 'list'>;
  lists: Pick<ListStore, 'runs'>;
  trendDays: number;
  now?: () => Date;
};

export const marks = (given: Deps) => {
  const deps = { now: () => new Date(), ...given };
  return async (request: Request): Promise<Reply> => {
    const { method, owner, params } = request;
    if (method === 'POST') return create(deps, request);
    if (params.markId === undefined) return list(deps, request);
    const isId = z.uuid().safeParse(params.markId).success;
    if (!isId || !(await deps.marks.erase(owner, params.markId))) throw notFound();
    return { status: 204 };
  };
};

const notFound = () => new ApiProblemError('not-found', 'There is no mark with this ID. GET /v1/marks shows the ids.');

const NAMESPACE = '3b1f7a52-8c0d-4e6f-9a7b-2d5c8e1f4a60';
const DAY_MS = 24 * 3600 * 1000;

/** Makes a mark. The same mark is made once. Without a time, the first time stays. */
const create = async (deps: Required<Deps>, { owner, plan, body }: Request): Promise<Reply> => {
  const now = deps.now();
  const { fields, errors } = parseFields(CreateMarkBody, acceptedMark, body);
  if (errors.length > 0) throw invalidInput(errors);
  const { text, at, url, labels = {} } = fields as CreateMarkBody;
  const time = at === undefined ? now : new Date(at);
  const [first, last] = [now.getTime() - deps.trendDays * DAY_MS, now.getTime() + DAY_MS];
  if (time.getTime() < first || time.getTime() > last)
    throw invalidInput([{ path: 'at', message: `The time must be within the last ${deps.trendDays} days.` }]);
  const facts = [owner, text, at ?? null, url ?? null, Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))];
  const id = uuidv5(JSON.stringify(facts), NAMESPACE);
  const known = await deps.marks.find(owner, id);
  if (known) return made(200, known);
  const max = plans[plan ?? largest].marks;
  if ((await deps.marks.count(owner)) >= max) throw tooMany(max);
  const mark: StoredMark = { id, text, at: time.toISOString(), url: url ?? null, labels, checkId: null };
  const expiresAt = new Date(time.getTime() + deps.trendDays * DAY_MS);
  const isNew = await deps.marks.create(owner, mark, expiresAt, now);
  return made(isNew ? 201 : 200, isNew ? mark : ((await deps.marks.find(owner, id)) ?? mark));
};

/** Plan whose limits apply without a plan, because the marks of an owner are counted at each create. */
const largest: PlanName = 'large';

const made = (status: number, mark: Mark): Reply => ({
  status,
  headers: { location: `/v1/marks/${mark.id}` },
  body: mark,
});

const acceptedMark = {
  text: 'The text must be one line of 1 to 100 characters, such as deploy 4f2a.',
  at: 'The time must be in ISO 8601 with a time zone, such as 2031-01-01T00:00:00Z.',
  url: 'The URL must start with http:// or https://, such as https://example.com/.',
  labels: acceptedLabels,
};

const tooMany = (max: number) =>
  new ApiProblemError('too-many-requests', `An owner can have ${max} marks. Delete some before you make another.`, {
    headers: { 'retry-after': '60' },
  });

/** Returns the marks of a page and of all pages. Without a URL, those of all pages. */
const list = async (deps: Required<Deps>, request: Request): Promise<Reply> => {
  const { url, device, region, label, ...times } = parseMarkList(request);
  const labels = Object.fromEntries(label.map((each) => [each.split(':', 1)[0], each.slice(each.indexOf(':') + 1)]));
  const range = rangeOf(times);
  const { owner } = request;
  if (url !== undefined)
    return { status: 200, body: { marks: await marksOfPage(deps, owner, { url, device, region, labels, range }) } };
  return { status: 200, body: { marks: (await deps.marks.list(owner, undefined)).reverse() } };
};
