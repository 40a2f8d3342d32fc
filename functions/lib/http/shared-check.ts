import { ApiProblem } from '../../../shared/problems.ts';
import { expiryOf, isShareToken } from '../share-token.ts';
import type { CheckStore, StoredCheck } from '../store/checks.ts';
import { isExpired } from '../store/items.ts';

/**
 * Returns the check that a share token shows. Throws not-found with the same text if the check doesn't exist, is erased or
 * expired, or if the token is not of this check. Only the holder of an authentic token learns that it has expired.
 */
export const findShared = async (
  store: Pick<CheckStore, 'find'>,
  checkId: string | undefined,
  token: string,
): Promise<StoredCheck> => {
  const found = checkId !== undefined && isShareToken(token) ? await store.find(checkId) : undefined;
  const secret = found && !isExpired(found.item) ? found.item.shareSecret : undefined;
  const expiresAt = found && secret && expiryOf(token, secret, found.item.id);
  if (!expiresAt) throw new ApiProblem('not-found', INVALID);
  if (expiresAt * 1000 <= Date.now()) throw new ApiProblem('not-found', EXPIRED);
  return found;
};

const EXPIRED = 'This link has expired. Ask its sender for a new one.';
const INVALID =
  'This link shows no check. It may be incomplete or revoked, or its check was erased. Ask its sender for a new one.';
