import type { Client } from '../../api/client.ts';
import { UsageError } from '../exit-codes.ts';

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Start of an id. Shorter ones would soon stand for several checks. */
const START_OF_ID = /^[0-9a-f]{4,8}(-[0-9a-f-]*)?$/i;
/** Newest checks among which a start of an id is looked up. */
const LOOKED_AT = 100;

/** Returns the id of the check that a user names: `last`, a URL for its newest check, an id, or the start of one. */
export const checkIdOf = async (
  client: Pick<Client, 'list'>,
  name: string,
  context: { signal: AbortSignal },
): Promise<string> => {
  if (ID.test(name)) return name;
  const isUrl = /^https?:\/\//i.test(name);
  if (name === 'last' || isUrl) {
    const { checks } = await client.list({ limit: 1, ...(isUrl && { url: name }) }, context);
    const [newest] = checks;
    if (!newest) throw new UsageError(isUrl ? `There is no check of ${name}.` : 'There is no check yet.');
    return newest.id;
  }
  if (!START_OF_ID.test(name)) {
    throw new UsageError(`"${name}" names no check. Give an id, the start of one, a URL, or last.`);
  }
  const { checks } = await client.list({ limit: LOOKED_AT }, context);
  const found = checks.filter(({ id }) => id.startsWith(name.toLowerCase()));
  const [only] = found;
  if (!only) throw new UsageError(`None of the newest ${LOOKED_AT} checks has an id that starts with ${name}.`);
  if (found.length > 1)
    throw new UsageError(`${found.length} checks have ids that start with ${name}. Give more of it.`);
  return only.id;
};
