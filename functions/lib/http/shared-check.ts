import { ApiProblemError } from '../../../shared/problems.ts';
import { expiryOf, isShareToken } from '../checks/share-token.ts';
import type { CheckStore } from '../store/checks.ts';
import type { StoredCheck } from '../store/find-check.ts';
import { isExpired } from '../store/items.ts';
import { newSecret } from '../store/links.ts';

/** A store in which a share token finds its check. */
export type SharingStore = Pick<CheckStore, 'find' | 'findOfAnyOwner' | 'findShare'>;

/**
 * Returns the check that a share token shows. Throws not-found with the same text if the check doesn't exist, is erased or
 * expired, or if the token is not of this check. Only the holder of an authentic token learns that it has expired.
 *
 * Reads the check only for an authentic token. The time of a refusal therefore says nothing about which checks exist.
 */
export const findShared = async (
  store: SharingStore,
  checkId: string | undefined,
  token: string,
  now: Date,
): Promise<StoredCheck> => {
  if (checkId === undefined || !isShareToken(token)) throw new ApiProblemError('not-found', INVALID);
  const share = await store.findShare(checkId);
  // A check without links costs the time of a comparison too.
  const expiresAt = expiryOf(token, share?.secret ?? newSecret(), checkId);
  const found = share && expiresAt !== undefined ? await store.findOfAnyOwner(checkId) : undefined;
  if (!found || isExpired(found.item, now) || found.item.createId !== share?.createId) {
    throw new ApiProblemError('not-found', INVALID);
  }
  if ((expiresAt as number) * 1000 <= now.getTime()) throw new ApiProblemError('not-found', EXPIRED);
  return found;
};

const EXPIRED = 'This link has expired. Ask its sender for a new one.';
const INVALID =
  'This link shows no check. It may be incomplete or revoked, or its check was erased. Ask its sender for a new one.';
