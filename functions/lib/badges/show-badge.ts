import { makeBadge } from 'badge-maker';
import { BADGE_SECONDS, type BadgeFields, type ShieldsBadge } from '../../../shared/badges.ts';
import { matcherOf } from '../../../shared/list-parameters-schemas.ts';
import { ApiProblemError } from '../../../shared/problems.ts';
import { conditionalText } from '../http/conditional.ts';
import type { Request } from '../http/endpoint.ts';
import type { Sender } from '../http/request-log.ts';
import type { Reply } from '../http/response.ts';
import type { BadgeStore } from '../store/badges.ts';
import type { ListedRun, ListStore } from '../store/lists.ts';
import { badgeFace, newestMeasured } from './badge-face.ts';

type Deps = { badges: Pick<BadgeStore, 'find'>; lists: Pick<ListStore, 'runs'>; now: () => Date };

/**
 * GET /v1/badges/{badge}: shows a badge to anyone, as an image or as JSON for shields.io. An unknown or revoked badge is a
 * grey image, because image proxies such as that of GitHub pass no other answer than a 200. As JSON it is not found.
 */
export const showBadge = async (deps: Deps, { params, headers }: Request<Sender>): Promise<Reply> => {
  const [, id, form] = /^([\da-f-]{36})\.(svg|json)$/.exec(params.badge ?? '') ?? [];
  if (id === undefined) throw noBadge();
  const found = await deps.badges.find(id);
  if (!found && form === 'json') throw noBadge();
  const face = found ? badgeFace(await runsOf(deps, found), found.badge.category, deps.now()) : unknown;
  const isImage = form === 'svg';
  return conditionalText({ headers }, isImage ? imageOf(face) : JSON.stringify(face), {
    type: isImage ? 'image/svg+xml; charset=utf-8' : 'application/json',
    'cache-control': `public, max-age=${BADGE_SECONDS}`,
    'cross-origin-resource-policy': 'cross-origin', // pages of other sites show it
  });
};

const noBadge = () =>
  new ApiProblemError(
    'not-found',
    'There is no such badge, or it is revoked. Its address ends with .svg or .json. POST /v1/badges makes a badge.',
  );

const unknown: Pick<ShieldsBadge, 'label' | 'message' | 'color'> = {
  label: 'page audit',
  message: 'no such badge',
  color: 'lightgrey',
};

const imageOf = ({ label, message, color }: typeof unknown): string => makeBadge({ label, message, color });

/** Entries of a series that one read returns, and most reads. Most badges need one. */
const [ENTRIES, READS] = [50, 10];

/** Returns the newest runs that match a badge, until those of the newest measured check are complete. */
const runsOf = async (
  { lists, now }: Deps,
  { owner, badge }: { owner: string; badge: BadgeFields },
): Promise<ListedRun[]> => {
  const { url, device, region, labels, category } = badge;
  const label = Object.entries(labels).map(([name, value]) => `${name}:${value}`);
  const { byEntry } = matcherOf({ device, region: region ?? undefined, label });
  const found: ListedRun[] = [];
  let before: string | undefined;
  for (let reads = 0; reads < READS; reads++) {
    const { entries, last = '', more } = await lists.runs(owner, url, { before }, ENTRIES, now());
    found.push(...entries.flatMap((entry) => ('unreadable' in entry || !byEntry.matches(entry) ? [] : [entry])));
    const [shown] = newestMeasured(found, category);
    if (!more || (shown && last < shown.createdAt)) break;
    before = last;
  }
  return found;
};
