import { randomUUID } from 'node:crypto';
import { CreateLinkBody, DEFAULT_LINK_LIFE, MAX_LINK_DAYS } from '../shared/links.ts';
import { badges } from './lib/badges/badges.ts';
import { shareToken } from './lib/checks/share-token.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { invalidInput, parseFields } from './lib/http/input.ts';
import { findCheck, type Lookup } from './lib/http/lookup.ts';
import { originOf } from './lib/http/origin.ts';
import type { Reply } from './lib/http/response.ts';
import type { SharingStore } from './lib/http/shared-check.ts';
import { badgeStore } from './lib/store/badges.ts';
import { checkStore } from './lib/store/checks.ts';
import { openDb } from './lib/store/dynamodb.ts';
import { type LinkStore, linkStore } from './lib/store/links.ts';
import { listStore } from './lib/store/lists.ts';

/**
 * POST /v1/checks/{checkId}/links: returns a URL with which anyone can read this check for some days.
 * DELETE /v1/checks/{checkId}/links: ends all share links of a check.
 * /v1/badges and /v1/badges/{badge}: the links that show one score of a page, until they are revoked.
 */
export const handler = http('links', (env) => {
  const db = openDb(env);
  const deps = { store: checkStore(db), links: linkStore(db) };
  const create = createLink({ ...deps, publicUrl: env.PUBLIC_URL });
  const end = deleteLinks(deps);
  const ofBadges = badges({
    badges: badgeStore(db),
    lists: listStore(db),
    publicUrl: env.PUBLIC_URL,
    newId: randomUUID,
    now: () => new Date(),
  });
  return async (request) => {
    if (request.path.startsWith('/v1/badges')) return ofBadges(request);
    const owned = request as Request;
    return owned.method === 'DELETE' ? end(owned) : create(owned);
  };
});

type Deps = {
  store: SharingStore;
  links: Pick<LinkStore, 'secretOf'>;
  publicUrl?: string | undefined;
  now?: () => Date;
};

export const createLink =
  ({ store, links, publicUrl, now = () => new Date() }: Deps) =>
  async (request: Request): Promise<Reply> => {
    const days = daysIn(request.body ?? {});
    const origin = publicUrl ?? originOf(request);
    const { item } = await findCheck({ store, now }, request);
    const secret = await links.secretOf(item);
    const end = Math.floor(now().getTime() / 1000) + days * 24 * 3600;
    const expiresAt = Math.min(end, item.expiresAt ?? end);
    const url = `${origin}/checks/${item.id}#share=${shareToken(secret, item.id, expiresAt)}`;
    return { status: 201, body: { url, expiresAt: new Date(expiresAt * 1000).toISOString() } };
  };

const accepted = {
  expiresIn: `expiresIn must be a whole number of days from 1 to ${MAX_LINK_DAYS}, such as "7d".`,
};

/** Returns the number of days in the body. */
const daysIn = (body: unknown): number => {
  const { fields, errors } = parseFields(CreateLinkBody, accepted, body);
  if (errors.length > 0) throw invalidInput(errors);
  return Number.parseInt(fields.expiresIn ?? DEFAULT_LINK_LIFE, 10);
};

export const deleteLinks =
  ({ links, ...lookup }: Lookup & { links: Pick<LinkStore, 'revoke'> }) =>
  async (request: Request): Promise<Reply> => {
    const { item } = await findCheck(lookup, request);
    await links.revoke(item);
    return { status: 204 };
  };
