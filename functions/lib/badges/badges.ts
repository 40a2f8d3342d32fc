import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type Badge, type BadgeFields, CreateBadgeBody } from '../../../shared/badges.ts';
import { listParameter } from '../../../shared/list-parameters.ts';
import { categories } from '../../../shared/options/audit-options.ts';
import { acceptedLabels } from '../../../shared/options/labels.ts';
import { ApiProblemError } from '../../../shared/problems.ts';
import { type PlanName, plans } from '../../../shared/service/plans.ts';
import { canonicalUrl } from '../../../shared/text.ts';
import type { Request } from '../http/endpoint.ts';
import { invalidInput, parseFields } from '../http/input.ts';
import { originOf } from '../http/origin.ts';
import type { Sender } from '../http/request-log.ts';
import type { Reply } from '../http/response.ts';
import type { BadgeStore } from '../store/badges.ts';
import type { ListStore } from '../store/lists.ts';
import { showBadge } from './show-badge.ts';

type Deps = {
  badges: BadgeStore;
  lists: Pick<ListStore, 'runs'>;
  publicUrl?: string | undefined;
  newId: () => string;
  now: () => Date;
};

/** /v1/badges and /v1/badges/{badge}: makes, lists and revokes the badges of an owner, and shows a badge to anyone. */
export const badges =
  (deps: Deps) =>
  async (request: Request<Sender>): Promise<Reply> => {
    const { method, params } = request;
    if (params.badge !== undefined && method !== 'DELETE') return showBadge(deps, request);
    const owned = request as Request;
    if (method === 'DELETE') return revoke(deps, owned);
    if (method === 'POST') return create(deps, owned);
    const all = await deps.badges.list(owned.owner);
    return { status: 200, body: { badges: all.map((badge) => viewOf(deps, request, badge)) } };
  };

const revoke = async ({ badges }: Deps, { owner, params }: Request): Promise<Reply> => {
  const id = z.uuid().safeParse(params.badge).data;
  if (id === undefined || !(await badges.revoke(owner, id))) throw notFound();
  return { status: 204 };
};

const notFound = () =>
  new ApiProblemError('not-found', 'There is no badge with this ID. GET /v1/badges shows the ids.');

/** Makes a badge. The same inputs give the same badge until it is revoked. */
const create = async (deps: Deps, request: Request): Promise<Reply> => {
  const { owner, plan, body } = request;
  const { fields, errors } = parseFields(CreateBadgeBody, accepted, body);
  if (errors.length > 0) throw invalidInput(errors);
  const { url, device, region = null, labels = {}, category } = fields as CreateBadgeFields;
  const inputs = { url: canonicalUrl(url), device, region, labels, category };
  const known = await deps.badges.list(owner);
  const same = known.find((badge) => isDeepStrictEqual({ ...inputs, id: badge.id, createdAt: badge.createdAt }, badge));
  if (same) return made(200, viewOf(deps, request, same));
  const max = plans[plan ?? largest].badges;
  if (known.length >= max) throw tooMany(max);
  const badge: BadgeFields = { id: deps.newId(), ...inputs, createdAt: deps.now().toISOString() };
  await deps.badges.create(owner, badge);
  return made(201, viewOf(deps, request, badge));
};

type CreateBadgeFields = z.output<typeof CreateBadgeBody>;

/** Plan whose limit applies without a plan, because each create lists all badges of its owner. */
const largest: PlanName = 'large';

const made = (status: number, badge: Badge): Reply => ({
  status,
  headers: { location: badge.links.self },
  body: badge,
});

const viewOf = ({ publicUrl }: Deps, request: Request<Sender>, badge: BadgeFields): Badge => {
  const { id, url, device, region, labels, category } = badge;
  const filters = [['url', url], ['device', device], ...(region ? [['region', region]] : [])];
  const label = Object.entries(labels).map(([name, value]) => ['label', `${name}:${value}`]);
  const links = {
    self: `/v1/badges/${id}`,
    svg: `/v1/badges/${id}.svg`,
    json: `/v1/badges/${id}.json`,
    page: `/pages?${new URLSearchParams([...filters, ...label])}`,
  };
  const origin = publicUrl ?? originOf(request);
  return { ...badge, markdown: `[![${category}](${origin}${links.svg})](${origin}${links.page})`, links };
};

const accepted = {
  url: listParameter('url').accepted,
  device: listParameter('device').accepted,
  region: listParameter('region').accepted,
  labels: acceptedLabels,
  category: `The category must be one of: ${categories.join(', ')}.`,
};

const tooMany = (max: number) =>
  new ApiProblemError('too-many-requests', `An owner can have ${max} badges. Delete one before you make another.`, {
    headers: { 'retry-after': '60' },
  });
