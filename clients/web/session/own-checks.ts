import type { Transport } from '../../api/transport.ts';
import { dropShareToken, sharedCheckOf } from './share.ts';

/** Whether a reader without a token may read a check, by the check and the key of the reader. */
const known = new Map<string, Promise<boolean>>();

/**
 * Drops the share token of a path if this tab may read its check anyway. So an owner who opens a link stays the owner.
 */
export const preferOwnRight = async (path: string, key: string | null, transport: Transport): Promise<void> => {
  const checkId = sharedCheckOf(path);
  if (checkId === undefined) return;
  const name = `${checkId} ${key ?? ''}`;
  const found = known.get(name) ?? mayRead(transport, checkId);
  known.set(name, found);
  if (await found.catch(() => known.delete(name) && false)) dropShareToken(checkId);
};

/** Throws if the service gives no answer to that. */
const mayRead = (transport: Transport, checkId: string): Promise<boolean> =>
  transport.send(`/v1/checks/${checkId}`).then(
    () => true,
    (error) => {
      if ([401, 403, 404].includes(error?.status)) return false;
      throw error;
    },
  );
