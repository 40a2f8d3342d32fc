import type { Client, CreateCheck, ListFilters } from '../client.ts';
import { ServiceError } from '../service-error.ts';
import { UsageError } from './exit-codes.ts';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const LABEL = /^([^:=]+)[:=](.*)$/;

/**
 * Returns the id of the check that a new check is compared with, or undefined if there is none yet. The base is the id of
 * a check, or a label: the newest finished check of the same URL and device that has it.
 */
export const findBase = async (
  client: Client,
  base: string,
  { url, device = 'mobile' }: CreateCheck,
  signal: AbortSignal,
): Promise<string | undefined> => {
  if (UUID.test(base)) return (await client.get(base, { signal })).id;
  const [, name, value] = LABEL.exec(base) ?? [];
  if (name === undefined)
    throw new UsageError(`${base} is no base. Use the id of a check, or a label such as branch=main.`);
  const query: ListFilters = { url, device, label: [`${name}:${value}`], limit: 100 };
  const { checks } = await client.list(query, { signal });
  return checks.find(({ state }) => state === 'succeeded' || state === 'partial')?.id;
};

/** Returns a comparison, or why there is none. */
export const compareWithBase = async (client: Client, checkId: string, base: string, signal: AbortSignal) => {
  try {
    return { comparison: await client.compare(checkId, { base, signal }), note: undefined };
  } catch (error) {
    const isAnswer = error instanceof ServiceError && ['not-comparable', 'report-not-ready'].includes(error.code ?? '');
    if (!isAnswer) throw error;
    return { comparison: null, note: `The check ${checkId} is not compared with ${base}: ${error.message}` };
  }
};
